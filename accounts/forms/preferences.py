"""The form of a person's email preferences."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from accounts.durations import duration, time_before
from accounts.form_limits import SaysLimits
from accounts.forms.fields import OwnTime
from accounts.mail.list_names import INVITATIONS
from accounts.mail.preferences import keep_preferences
from accounts.mail.subscriptions import is_unsubscribed, refuse_invitations
from accounts.models import User

if TYPE_CHECKING:
    UserForm = forms.ModelForm[User]
else:
    UserForm = forms.ModelForm


EVERY_MOVE = "every move"
MINUTES = (15, 30, 60, 120, 240, 480)
LEADS = (48, 24, 12, 6, 3, 1)


def _lead_choices() -> list[tuple[int, str]]:
    """Return the reminder lead times, named in the reader's language."""
    return [(hours, time_before(timedelta(hours=hours))) for hours in LEADS]


def _batch_choices() -> list[tuple[int, str]]:
    """Return for how long turns may be collected, named in the reader's language."""
    return [(minutes, duration(timedelta(minutes=minutes))) for minutes in MINUTES]


class EmailPreferencesForm(SaysLimits, UserForm):
    """How often emails come, with the options of each choice; reminder lead times; and switches."""

    how = forms.ChoiceField(
        label=_("When it’s your turn"),
        choices=[
            (User.Frequency.AT_ONCE, _("An email for each turn, right away")),
            (EVERY_MOVE, _("An email for each turn, and one for each move of the others")),
            (User.Frequency.BATCHED, _("One email that collects several turns")),
            (
                User.Frequency.DIGEST,
                _("One email a day, at a time you choose, with all games where it’s your turn"),
            ),
            (User.Frequency.NEVER, _("No emails: nothing tells you about your turns or deadlines")),
        ],
        widget=forms.RadioSelect,
    )
    batch_minutes = forms.TypedChoiceField(
        label=_("Collect turns for"),
        help_text=_("Only if one email collects your turns. Counted from the first turn or message."),
        choices=_batch_choices,
        coerce=int,
    )
    at_once_when_alone = forms.BooleanField(
        label=_("Email me at once when a game waits only for me"),
        help_text=_(
            "Even if you collect turns or get one email a day. We wait for the end of your quiet hours "
            "and days off."
        ),
        required=False,
    )
    digest_at = forms.TimeField(
        label=_("Time of the daily email"),
        help_text=_("Only if you get one email a day. You get none on days with no new turn or message."),
        required=False,
        widget=OwnTime,
    )
    reminders = forms.TypedMultipleChoiceField(
        label=_("Reminders before a deadline"),
        choices=_lead_choices,
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    hand_in_emails = forms.BooleanField(
        label=_("Show my hand in emails"),
        help_text=_(
            "When this is off, emails don’t name your cards. "
            "Anyone who can open your emails can still see your hand through the link."
        ),
        required=False,
    )
    chat_emails = forms.ChoiceField(
        label=_("Emails about chat messages"),
        help_text=_(
            "A choice you make on a chat’s own page comes first. If your turns also come once a day, "
            "one email has both."
        ),
        choices=User.ChatEmails.choices,
        widget=forms.RadioSelect,
        required=False,  # if missing, the stored value stays
    )
    refuse_invitations = forms.BooleanField(
        label=_("Stop all invitations by email"),
        help_text=_("No one can invite your address to a table. You can still use links and open tables."),
        required=False,
    )

    class Meta:
        model = User
        fields = (
            "batch_minutes",
            "digest_at",
            "at_once_when_alone",
            "reminders",
            "hand_in_emails",
            "chat_emails",
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        person = self.instance
        self.initial["how"] = EVERY_MOVE if person.every_move else person.frequency
        self.initial["refuse_invitations"] = is_unsubscribed(person.email, INVITATIONS)
        self._offer_present()

    def _offer_present(self) -> None:
        """Offer the stored number of minutes too, even if it is not a standard choice."""
        minutes = self.instance.batch_minutes
        field = self.fields["batch_minutes"]
        assert isinstance(field, forms.TypedChoiceField)
        if minutes not in MINUTES:
            offered: Any = field.choices
            field.choices = [(minutes, duration(timedelta(minutes=minutes))), *offered]

    def switches(self) -> list[forms.BoundField]:
        """Return the fields that are either on or off, except the one about turns."""
        switches = [bound for bound in self if isinstance(bound.field, forms.BooleanField)]
        return [bound for bound in switches if bound.name != "at_once_when_alone"]

    def clean_chat_emails(self) -> str:
        return self.cleaned_data["chat_emails"] or self.instance.chat_emails

    def clean_reminders(self) -> list[int]:
        """Return the reminder lead times, longest first."""
        return sorted(self.cleaned_data["reminders"], reverse=True)

    def clean(self) -> dict[str, Any]:
        """Keep the stored digest hour if none is given, but require one for the daily email."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if "digest_at" in cleaned and cleaned["digest_at"] is None:
            if cleaned.get("how") == User.Frequency.DIGEST:
                self.add_error("digest_at", _("Choose a time for the daily email."))
            else:
                cleaned["digest_at"] = self.instance.digest_at
        return cleaned

    @transaction.atomic
    def save(self, commit: bool = True) -> User:
        """Save these preferences and no other column."""
        person, how = self.instance, self.cleaned_data["how"]
        User.objects.select_for_update(no_key=True).get(pk=person.pk)  # one change at a time
        person.every_move = how == EVERY_MOVE
        person.frequency = User.Frequency.AT_ONCE if person.every_move else how
        refuse_invitations(person.email, refused=self.cleaned_data["refuse_invitations"])
        keep_preferences(person, [*self.Meta.fields, "frequency", "every_move"])
        return person
