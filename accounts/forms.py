"""Forms about oneself: the profile, and signing in."""

from typing import TYPE_CHECKING, Any

from allauth.account.forms import (
    ChangePasswordForm,
    ConfirmLoginCodeForm,
    LoginForm,
    ResetPasswordForm,
    ResetPasswordKeyForm,
    SetPasswordForm,
)
from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from accounts import sign_in_codes
from accounts.availability import move_to
from accounts.code_letters import requests_are_spent, too_many_requests
from accounts.models import User
from accounts.names import LONGEST_NAME, clean_name
from accounts.post.collecting import follow_rhythm
from accounts.zones import zone_choices

if TYPE_CHECKING:
    UserForm = forms.ModelForm[User]
else:
    UserForm = forms.ModelForm


class ProfileForm(UserForm):
    """Name, language and zone. A name given here counts as chosen."""

    # Longer than a name may be, so that what was typed comes back whole with the sentence about it.
    name = forms.CharField(
        label=_("Your name at tables"),
        help_text=_("Everybody at a table sees it, in pages and letters."),
        max_length=20 * LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "nickname", "maxlength": None}),
        strip=False,
    )
    language = forms.ChoiceField(label=_("Language"), help_text=_("Of pages and letters."))
    time_zone = forms.ChoiceField(label=_("Time zone"), help_text=_("Times and deadlines are told in it."))

    class Meta:
        model = User
        fields = ("name", "language", "time_zone")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        languages = self.fields["language"]
        zones = self.fields["time_zone"]
        assert isinstance(languages, forms.ChoiceField)
        assert isinstance(zones, forms.ChoiceField)
        languages.choices = settings.LANGUAGES
        zones.choices = _with_present(self.instance.time_zone)

    def clean_name(self) -> str:
        """The name as it will be stored; a refused one is answered with a sentence."""
        return clean_name(self.cleaned_data["name"])

    def save(self, commit: bool = True) -> User:
        """Stores the profile and no other column of the row; from now on the name counts as chosen."""
        person = self.instance
        person.name_chosen = True
        person.save(update_fields=[*set(self.Meta.fields) - {"time_zone"}, "name_chosen"])
        move_to(person, person.time_zone)
        follow_rhythm(person)  # the hour of his letters is an hour of his zone
        return person


def _with_present(zone: str) -> list[Any]:
    """The choices, with a zone this machine no longer lists kept selectable."""
    choices: list[Any] = list(zone_choices())
    listed = {name for _group, places in choices if isinstance(places, list) for name, _place in places}
    return choices if zone in listed or zone == "UTC" else [(zone, zone), *choices]


SIGN_IN_ADDRESS = "sign_in_address"  # in a session: whose email's link was answered in this browser


class SignInForm(LoginForm):  # type: ignore[misc]  # allauth ships no types
    """An address is enough, and a code comes by mail; whoever has set a password may give it instead."""

    user: User | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        address = self.fields["login"]
        address.label = _("E-mail address")
        address.initial = self.request.session.get(SIGN_IN_ADDRESS)
        address.widget.attrs.pop("placeholder", None)
        self.fields["password"].widget.attrs.pop("placeholder", None)

    def clean_password(self) -> str:
        """Who presses the button for a code gets one, also where his browser has filled in a password."""
        return "" if self.data.get("by") == "code" else str(self.cleaned_data["password"])

    def clean(self) -> dict[str, Any]:
        """Who gives an address that nobody has yet gets an account, which the code will prove."""
        cleaned: dict[str, Any] = super().clean()
        if self.errors or cleaned.get("password"):
            return cleaned
        if requests_are_spent(self.request, cleaned["login"]):
            raise forms.ValidationError(too_many_requests(), code="too many requests")
        if self.user is None:
            self.user = User.objects.create_unproven(cleaned["login"])
        return cleaned

    def _setup_password_field(self) -> None:
        password = self.fields["password"]
        password.required = False
        password.label = _("Password")
        password.help_text = _("Only if you have set one.")


class SignInCodeForm(ConfirmLoginCodeForm):  # type: ignore[misc]  # allauth ships no types
    """The code out of an email, compared with the one that its address has now."""

    def __init__(self, *args: Any, address: str = "", by_known_browser: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.address, self.by_known_browser = address, by_known_browser

    def clean_code(self) -> str:
        """The code, which is used up by this."""
        typed = str(self.cleaned_data["code"])
        answer = sign_in_codes.use(self.address, typed, by_known_browser=self.by_known_browser)
        if answer is sign_in_codes.Answer.TOO_MANY_TRIES:
            raise forms.ValidationError(too_many_tries(self.address), code="too many tries")
        if answer is sign_in_codes.Answer.WRONG:
            message = _("This is not the code. Use the one in the newest email.")
            raise forms.ValidationError(message, code="incorrect_code")
        return typed


def too_many_tries(address: str) -> str:
    """The answer to one more code after strangers typed too many wrong ones."""
    minutes = sign_in_codes.minutes_until_another(address)
    return ngettext(
        "Too many wrong codes were typed for this address. Ask for a new code in %(minutes)d minute.",
        "Too many wrong codes were typed for this address. Ask for a new code in %(minutes)d minutes.",
        minutes,
    ) % {"minutes": minutes}


class _InOurWords(forms.Form):
    """One of allauth's forms with this site's words for its fields."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        put_in_our_words(self)


def put_in_our_words(form: forms.BaseForm) -> None:
    """Names the fields of another package's form as this site does; none repeats its name inside."""
    form.label_suffix = ""
    for name, field in form.fields.items():
        field.label = _FIELD_NAMES.get(name, field.label)
        field.help_text = _FIELD_HELP.get(name, field.help_text)
        field.widget.attrs.pop("placeholder", None)


_FIELD_NAMES = {
    "code": _("Code"),
    "email": _("E-mail address"),
    "name": _("Name of the key"),
    "password": _("Password"),
    "passwordless": _("Sign in with this key alone"),
    "oldpassword": _("The present password"),
    "password1": _("The new password"),
    "password2": _("The new password once more"),
}
_FIELD_HELP = {
    "passwordless": _(
        "A passkey: no code is sent to you. The device itself asks for your finger, your face or a PIN."
    ),
}


class OwnSetPasswordForm(_InOurWords, SetPasswordForm):  # type: ignore[misc]  # allauth ships no types
    """A first password."""


class OwnChangePasswordForm(_InOurWords, ChangePasswordForm):  # type: ignore[misc]
    """Another password, for who knows the present one."""


class AskForPasswordForm(_InOurWords, ResetPasswordForm):  # type: ignore[misc]
    """Another password, for who has forgotten the present one."""


class ForgottenPasswordForm(_InOurWords, ResetPasswordKeyForm):  # type: ignore[misc]
    """The same once the code is typed in."""
