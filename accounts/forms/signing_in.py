"""Forms for signing in and for a new account or address."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import AddEmailForm, ConfirmLoginCodeForm, LoginForm, SignupForm
from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from accounts import sign_in_codes
from accounts.addresses import readable_address
from accounts.code_requests import requests_exceeded, too_many_requests
from accounts.form_limits import SaysLimits
from accounts.forms.fields import AddressField
from accounts.models import User
from accounts.names import LONGEST_NAME
from accounts.sessions import SIGN_IN_ADDRESS, hold_address


class SignInForm(SaysLimits, LoginForm):
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
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
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


class SignInCodeForm(SaysLimits, ConfirmLoginCodeForm):
    """The code from an email, compared with the current one of its address.

    `asks_name` offers a field for the name of a newcomer. A bad name costs no one their code: the profile
    asks again.
    """

    new_name = forms.CharField(
        label=_("Your name, if you’re new here"),
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
        if answer is sign_in_codes.CodeCheck.TOO_MANY_TRIES:
            raise forms.ValidationError(too_many_tries(self.address), code="too many tries")
        if answer is sign_in_codes.CodeCheck.TOO_MANY_TRIES_THERE:
            raise forms.ValidationError(too_many_tries_there(self.address), code="too many tries")
        if answer is sign_in_codes.CodeCheck.WRONG:
            message = _("That’s not the right code. Use the one in the newest email.")
            raise forms.ValidationError(message, code="incorrect_code")
        return typed


def too_many_tries(address: str) -> str:
    """Return the error text for a code that strangers' wrong tries have blocked."""
    minutes = sign_in_codes.minutes_until_another(address)
    return ngettext(
        "Someone entered too many wrong codes for this address. Ask for a new code in %(minutes)d minute.",
        "Someone entered too many wrong codes for this address. Ask for a new code in %(minutes)d minutes.",
        minutes,
    ) % {"minutes": minutes}


def too_many_tries_there(address: str) -> str:
    """Return the error text for a code that wrong tries from the reader's own network have blocked there."""
    minutes = sign_in_codes.minutes_until_another(address)
    return ngettext(
        "Someone on your network entered too many wrong codes for this address. "
        "Ask for a new code in %(minutes)d minute.",
        "Someone on your network entered too many wrong codes for this address. "
        "Ask for a new code in %(minutes)d minutes.",
        minutes,
    ) % {"minutes": minutes}


class OwnSignUpForm(SaysLimits, SignupForm):
    """Form for a new account."""

    email = AddressField()


class ChangeAddressForm(SaysLimits, AddEmailForm):
    """Form for the address that replaces the present one."""

    email = AddressField()
