"""Forms for targets of notifications: what kind, where, and what they hear."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.form_limits import SaysLimits
from accounts.push.models import LONGEST_ADDRESS, NoticeTarget, Push
from accounts.push.public_hosts import NotPublic, host_and_port, require_public

Service = NoticeTarget.Service
Choices = Sequence[tuple[str, Any]]

_DISCORD_HOSTS = ("discord.com", "ptb.discord.com", "canary.discord.com", "discordapp.com")
_SLACK_HOSTS = ("hooks.slack.com", "hooks.slack-gov.com")
_DISCORD_PATH = re.compile(r"/api/(v\d+/)?webhooks/\d+/[\w-]+")
_SLACK_PATH = re.compile(r"/(services|workflows|triggers)/[\w/-]+")
_NTFY_PATH = re.compile(r"/[A-Za-z0-9_-]{1,64}")


class TargetChoicesForm(SaysLimits, forms.Form):
    """What a target is called, and what it hears."""

    name = forms.CharField(
        label=_("Your name for it"),
        help_text=_("For your own lists, such as “Family chat”."),
        max_length=60,
        required=False,
    )
    kinds = forms.MultipleChoiceField(
        label=_("What we tell it"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    only_source = forms.ChoiceField(label=_("From which games"), required=False)

    def __init__(self, *args: Any, kinds: Choices, sources: Choices = (), **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        self.fields["kinds"].choices = kinds  # type: ignore[attr-defined]
        self.fields["only_source"].choices = [  # type: ignore[attr-defined]
            ("", pgettext_lazy("games", "All games")),
            *((path, name) for path, name in sources),
        ]
        if not sources:
            del self.fields["only_source"]

    def change(self, target: NoticeTarget) -> NoticeTarget:
        """Write the choices into the target, without saving it."""
        target.name = self.cleaned_data["name"] or str(Service(target.service).label)
        target.kinds = self.cleaned_data["kinds"]
        target.only_source = self.cleaned_data.get("only_source", "")
        return target


class NewTargetForm(TargetChoicesForm):
    """A new target: its service and address, and what it hears."""

    service = forms.ChoiceField(
        label=pgettext_lazy("receiver of notifications", "Service"),
        choices=Service.choices,
        widget=forms.RadioSelect,
    )
    endpoint = forms.CharField(
        label=pgettext_lazy("receiver of notifications", "Address"),
        help_text=_(
            "Discord and Slack call it webhook URL. For ntfy it’s the address of your topic, such as "
            "https://ntfy.sh/my-secret-topic. Keep it secret: anyone who has it can write there."
        ),
        max_length=LONGEST_ADDRESS,
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "url", "spellcheck": "false"}),
    )
    token = forms.CharField(
        label=_("Access token"),
        help_text=_("Only for an ntfy topic that is protected."),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )
    refusal = ""  # why nothing may be added now, whatever is entered
    field_order = ("service", "endpoint", "token", "name", "kinds", "only_source")

    def clean_endpoint(self) -> str:
        """Return the address if it's https, and its service's own."""
        address = str(self.cleaned_data["endpoint"])
        try:
            host_and_port(address)
        except NotPublic as error:
            raise ValidationError(_("Enter an address that begins with https:// and has no port.")) from error
        _check_address(self.cleaned_data.get("service", ""), address)
        return address

    def clean_token(self) -> str:
        """Return the token if a header can carry it."""
        token = str(self.cleaned_data["token"])
        if not re.fullmatch(r"[!-~]*", token):
            raise ValidationError(_("Enter the token as the service shows it, without spaces."))
        return token

    def clean(self) -> dict[str, Any]:
        """Refuse an address of a host that isn't public. Looks the name up, so it's last."""
        if self.refusal:
            raise ValidationError(self.refusal)
        if not self.errors:
            try:
                require_public(self.cleaned_data["endpoint"])
            except NotPublic:
                self.add_error(
                    "endpoint", _("We can’t reach this address from here. Check it, and try again.")
                )
        return self.cleaned_data

    def new_target(self, **columns: Any) -> NoticeTarget:
        """Return the target that the form describes, not saved yet."""
        service = self.cleaned_data["service"]
        target = NoticeTarget(service=service, endpoint=self.cleaned_data["endpoint"], **columns)
        if service == Service.NTFY:
            target.secret = self.cleaned_data["token"]
        return self.change(target)


class WakingForm(NewTargetForm):
    """The address at which a bot's program is woken when it's the bot's turn."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, kinds=(), **kwargs)
        self.fields = {"endpoint": self.fields["endpoint"]}
        self.fields["endpoint"].help_text = _("A public address of your program that begins with https://.")

    def new_target(self, **columns: Any) -> NoticeTarget:
        """Return the target that the form describes, not saved yet."""
        endpoint, kinds = self.cleaned_data["endpoint"], [Push.Kind.TURN]
        return NoticeTarget(service=Service.WEBHOOK, endpoint=endpoint, kinds=kinds, **columns)


class NewsForm(SaysLimits, forms.Form):
    """A message to the channels of a table's or league's news."""

    text = forms.CharField(
        label=pgettext_lazy("to channels of news", "Message"),
        max_length=500,
        widget=forms.Textarea(attrs={"rows": 3}),
        label_suffix="",
    )


def _check_address(service: str, address: str) -> None:
    parts = urlsplit(address)
    host, path = parts.hostname or "", parts.path
    if service == Service.DISCORD and not (host in _DISCORD_HOSTS and _DISCORD_PATH.fullmatch(path)):
        raise ValidationError(
            _(
                "A Discord webhook looks like https://discord.com/api/webhooks/… "
                "Copy it from the channel’s settings."
            )
        )
    if service == Service.SLACK and not (host in _SLACK_HOSTS and _SLACK_PATH.fullmatch(path)):
        raise ValidationError(
            _(
                "A Slack webhook looks like https://hooks.slack.com/services/… "
                "Copy it from your app’s settings."
            )
        )
    if service == Service.NTFY and (not _NTFY_PATH.fullmatch(path) or parts.query):
        raise ValidationError(_("A topic’s address looks like https://ntfy.sh/my-secret-topic."))
