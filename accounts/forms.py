"""Forms for a user's own account: profile, sign-in, working hours and emails."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any, ClassVar

from allauth.account.fields import EmailField
from allauth.account.forms import (
    AddEmailForm,
    ChangePasswordForm,
    ConfirmEmailVerificationCodeForm,
    ConfirmLoginCodeForm,
    ConfirmPasswordResetCodeForm,
    LoginForm,
    ResetPasswordForm,
    ResetPasswordKeyForm,
    SetPasswordForm,
    SignupForm,
)
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from accounts import availability, sign_in_codes
from accounts.addresses import check_address, normal_address, readable_address
from accounts.availability import choose_zone
from accounts.mail.list_names import INVITATIONS
from accounts.mail.preferences import follow_frequency, keep_preferences
from accounts.mail.subscriptions import is_unsubscribed, refuse_invitations
from accounts.models import User
from accounts.names import LONGEST_NAME, clean_name
from accounts.sessions import SIGN_IN_ADDRESS, hold_address
from accounts.sign_in_codes import requests_exceeded, too_many_requests
from accounts.times import duration
from accounts.zones import zone_choices

if TYPE_CHECKING:
    UserForm = forms.ModelForm[User]
else:
    UserForm = forms.ModelForm


class ProfileForm(UserForm):
    """Name, language and time zone. A name given here counts as chosen."""

    # Longer than a name may be, so that the whole input is shown again with the error.
    name = forms.CharField(
        label=_("Your name"),
        help_text=_("Other players see this name on pages and in emails."),
        max_length=20 * LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "maxlength": None}),
        strip=False,
    )
    language = forms.ChoiceField(
        label=pgettext_lazy("form", "Language"), help_text=_("For pages and emails.")
    )
    time_zone = forms.ChoiceField(label=_("Time zone"), help_text=_("We show all times and deadlines in it."))
    plays_at_once = forms.BooleanField(
        label=_("Play a card with one press"),
        help_text=_("Without this, you choose a card, see what it does, and then play it."),
        required=False,
    )

    class Meta:
        model = User
        fields = ("name", "language", "time_zone", "plays_at_once")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        languages = self.fields["language"]
        zones = self.fields["time_zone"]
        assert isinstance(languages, forms.ChoiceField)
        assert isinstance(zones, forms.ChoiceField)
        languages.choices = settings.LANGUAGES
        zones.choices = zone_choices(self.instance.time_zone)
        if not self.instance.time_zone_chosen:
            zones.widget.attrs["data-follows-browser"] = True

    def clean_name(self) -> str:
        """Return the name as it will be stored; refuse bad ones with an error text."""
        return clean_name(self.cleaned_data["name"])

    def save(self, commit: bool = True) -> User:
        """Save the profile and no other column of the row; the name now counts as chosen."""
        person = self.instance
        person.name_chosen = True
        person.save(update_fields=[*set(self.Meta.fields) - {"time_zone"}, "name_chosen"])
        if "time_zone" in self.changed_data:
            choose_zone(person, person.time_zone)
        follow_frequency(person)  # the digest hour depends on the time zone
        return person


class AddressField(EmailField):  # type: ignore[misc]  # allauth ships no types
    """An email address, cleaned to the form in which it is stored."""

    default_validators: ClassVar = [check_address]

    def to_python(self, value: Any) -> str:
        """Return the normal form, which is what the validators see."""
        return normal_address(super().to_python(value))


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth ships no types
    """Sign-in form: an address is enough to get a code; people with a password may type it instead."""

    user: User | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        address = self.fields["login"] = AddressField(label=_("Email address"))
        address.initial = readable_address(self.request.session.get(SIGN_IN_ADDRESS, ""))
        address.widget.attrs.pop("placeholder", None)
        self.fields["password"].widget.attrs.pop("placeholder", None)

    def clean_password(self) -> str:
        """Ignore the password if a code was requested, because a browser may have filled it in."""
        return "" if self.data.get("by") == "code" else str(self.cleaned_data["password"])

    def clean(self) -> dict[str, Any]:
        """Create an account for a new address; the code will prove it."""
        cleaned: dict[str, Any] = super().clean()
        if self.errors or cleaned.get("password"):
            return cleaned
        if requests_exceeded(self.request, cleaned["login"]):
            raise forms.ValidationError(too_many_requests(), code="too many requests")
        if self.user is None:
            self.user = User.objects.create_unproven(cleaned["login"])
        return cleaned

    def login(self, request: HttpRequest, redirect_url: str | None = None) -> HttpResponse:
        """Sign in; allauth lets the session last even if a second step must follow."""
        response: HttpResponse = super().login(request, redirect_url)
        hold_address(request)
        return response

    def _setup_password_field(self) -> None:
        password = self.fields["password"]
        password.required = False
        password.label = pgettext_lazy("form", "Password")
        password.help_text = _("Only if you have set one.")


class SignInCodeForm(ConfirmLoginCodeForm):  # type: ignore[misc]  # allauth ships no types
    """The code from an email, compared with the current one of its address.

    `asks_name` offers a field for the name of a newcomer. A bad name costs no one their code: the profile
    asks again.
    """

    new_name = forms.CharField(
        label=_("Your name, if you're new here"),
        help_text=_("Other players see it. You can change it later."),
        max_length=20 * LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "maxlength": None}),
        strip=False,
        required=False,
    )

    def __init__(
        self,
        *args: Any,
        address: str = "",
        by_known_browser: bool = False,
        networks: sign_in_codes.Networks = (),
        asks_name: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.address, self.by_known_browser, self.networks = address, by_known_browser, networks
        self.order_fields(["code", "new_name"])
        if not asks_name:
            del self.fields["new_name"]

    def clean_code(self) -> str:
        """Check the code and use it up."""
        typed = str(self.cleaned_data["code"])
        answer = sign_in_codes.use(
            self.address, typed, by_known_browser=self.by_known_browser, networks=self.networks
        )
        if answer is sign_in_codes.Answer.TOO_MANY_TRIES:
            raise forms.ValidationError(too_many_tries(self.address), code="too many tries")
        if answer is sign_in_codes.Answer.TOO_MANY_TRIES_THERE:
            raise forms.ValidationError(too_many_tries_there(self.address), code="too many tries")
        if answer is sign_in_codes.Answer.WRONG:
            message = _("That's not the right code. Use the one in the newest email.")
            raise forms.ValidationError(message, code="incorrect_code")
        return typed


def too_many_tries(address: str) -> str:
    """Return the error text for a code that strangers' wrong tries have blocked."""
    minutes = sign_in_codes.minutes_until_another(address)
    return ngettext(
        "Someone typed too many wrong codes for this address. Ask for a new code in %(minutes)d minute.",
        "Someone typed too many wrong codes for this address. Ask for a new code in %(minutes)d minutes.",
        minutes,
    ) % {"minutes": minutes}


def too_many_tries_there(address: str) -> str:
    """Return the error text for a code that wrong tries from the reader's own network have blocked there."""
    minutes = sign_in_codes.minutes_until_another(address)
    return ngettext(
        "Someone on your network typed too many wrong codes for this address. "
        "Ask for a new code in %(minutes)d minute.",
        "Someone on your network typed too many wrong codes for this address. "
        "Ask for a new code in %(minutes)d minutes.",
        minutes,
    ) % {"minutes": minutes}


class _TypedCode(forms.Form):
    """Mixin for allauth's forms that reads a code however a keyboard writes it."""

    def clean_code(self) -> str:
        self.cleaned_data["code"] = sign_in_codes.typed_code(self.cleaned_data["code"])
        return str(super().clean_code())  # type: ignore[misc]  # allauth's form has it


class AddressCodeForm(_TypedCode, ConfirmEmailVerificationCodeForm):  # type: ignore[misc]  # allauth ships no types
    """The code that confirms an address."""


class PasswordCodeForm(_TypedCode, ConfirmPasswordResetCodeForm):  # type: ignore[misc]  # allauth ships no types
    """The code for a new password."""


class SecondStepForm(_TypedCode, AuthenticateForm):  # type: ignore[misc]  # allauth ships no types
    """The code of an authenticator app, or a recovery code."""


class SecondStepAgainForm(_TypedCode, ReauthenticateForm):  # type: ignore[misc]  # allauth ships no types
    """The same, to confirm one's identity."""


class AddAppForm(_TypedCode, ActivateTOTPForm):  # type: ignore[misc]  # allauth ships no types
    """The first code of a new authenticator app."""


class _InOurWords(forms.Form):
    """Mixin for allauth's forms with this site's labels and help texts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        put_in_our_words(self)


def put_in_our_words(form: forms.BaseForm) -> None:
    """Set this site's labels and help texts on another package's form; remove placeholders."""
    form.label_suffix = ""
    for name, field in form.fields.items():
        field.label = _FIELD_NAMES.get(name, field.label)
        field.help_text = _FIELD_HELP.get(name, field.help_text)
        field.widget.attrs.pop("placeholder", None)


_FIELD_NAMES = {
    "code": pgettext_lazy("form", "Code"),
    "email": _("Email address"),
    "name": _("Key name"),
    "password": pgettext_lazy("form", "Password"),
    "passwordless": _("Sign in with only this key"),
    "oldpassword": _("Current password"),
    "password1": _("New password"),
    "password2": _("New password again"),
}
_FIELD_HELP = {
    "passwordless": _(
        "This makes it a passkey: you need no code. Your device asks for your finger, your face or a PIN."
    ),
}


class OwnSignUpForm(SignupForm):  # type: ignore[misc]  # allauth ships no types
    """Form for a new account."""

    email = AddressField()


class ChangeAddressForm(AddEmailForm):  # type: ignore[misc]  # allauth ships no types
    """Form for the address that replaces the present one."""

    email = AddressField()


class OwnSetPasswordForm(_InOurWords, SetPasswordForm):  # type: ignore[misc]  # allauth ships no types
    """Form for a first password."""


class OwnChangePasswordForm(_InOurWords, ChangePasswordForm):  # type: ignore[misc]  # allauth ships no types
    """Form for a new password, for people who know the present one."""


class AskForPasswordForm(_InOurWords, ResetPasswordForm):  # type: ignore[misc]  # allauth ships no types
    """Form that starts a password reset."""

    email = AddressField()


class ForgottenPasswordForm(_InOurWords, ResetPasswordKeyForm):  # type: ignore[misc]  # allauth ships no types
    """Form for a new password after the reset code."""


# Forms for working hours and holidays; availability.py decides what is allowed


class OwnTime(forms.TimeInput):
    """Time field with the browser's own widget."""

    input_type = "time"

    def __init__(self) -> None:
        super().__init__(format="%H:%M")


class OwnDate(forms.DateInput):
    """Date field with the browser's own widget."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")


class HoursForm(forms.Form):
    """Quiet hours and days off."""

    quiet_from = forms.TimeField(label=_("Quiet hours start"), widget=OwnTime, required=False)
    quiet_until = forms.TimeField(label=_("Quiet hours end"), widget=OwnTime, required=False)
    days_off = forms.TypedMultipleChoiceField(
        label=_("Days off"),
        choices=list(WEEKDAYS.items()),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, user: User, data: Any = None) -> None:
        stored = {name: getattr(user, name) for name in self.base_fields}
        super().__init__(data, initial=stored, label_suffix="")
        self.user = user

    def change(self) -> bool:
        """Save the working hours; return False if they were refused, with the errors in the form."""
        return self.is_valid() and _done(self, lambda: availability.change(self.user, **self.cleaned_data))


class HolidayForm(forms.Form):
    """Days on which a person is away."""

    first = forms.DateField(label=_("First day"), widget=OwnDate)
    last = forms.DateField(label=_("Last day"), widget=OwnDate, required=False)  # empty: one day only

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        self.user = user

    def announce(self) -> bool:
        """Announce the holiday; return False if it was refused, with the errors in the form."""
        if not self.is_valid():
            return False
        first, last = self.cleaned_data["first"], self.cleaned_data["last"]
        return _done(self, lambda: availability.announce_holiday(self.user, first, last or first))


def _done(form: forms.Form, act: Any) -> bool:
    try:
        act()
    except ValidationError as refusal:
        form.add_error(None, refusal)
    return not form.errors


# Email preferences


EVERY_MOVE = "every move"
MINUTES = (15, 30, 60, 120, 240, 480)
LEADS = (48, 24, 12, 6, 3, 1)


def _lead_choices() -> list[tuple[int, str]]:
    """Return the reminder lead times, named in the reader's language."""
    return [(n, ngettext("%(n)d hour before", "%(n)d hours before", n) % {"n": n}) for n in LEADS]


def _batch_choices() -> list[tuple[int, str]]:
    """Return for how long turns may be collected, named in the reader's language."""
    return [(minutes, duration(timedelta(minutes=minutes))) for minutes in MINUTES]


class EmailPreferencesForm(UserForm):
    """How often emails come, with the options of each choice; reminder lead times; and switches."""

    how = forms.ChoiceField(
        label=_("When it's your turn"),
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
            "When this is off, emails don't name your cards. "
            "Anyone who can open your emails can still see your hand through the link."
        ),
        required=False,
    )
    chat_emails = forms.ChoiceField(
        label=_("Emails about chat messages"),
        help_text=_(
            "A choice you make on a chat's own page comes first. If your turns also come once a day, "
            "one email has both."
        ),
        choices=User.ChatEmails.choices,
        widget=forms.RadioSelect,
        required=False,  # if missing, the stored value stays
    )
    refuse_invitations = forms.BooleanField(
        label=_("Refuse all invitations by email"),
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
