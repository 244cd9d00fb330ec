"""Fields, labels and help texts that several forms share."""

from __future__ import annotations

from typing import Any, ClassVar

from allauth.account.fields import EmailField
from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.addresses import check_address, normal_address
from accounts.form_limits import SaysLimits

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


class AddressField(EmailField):
    """An email address, cleaned to the form in which it is stored."""

    default_validators: ClassVar = [check_address]

    def to_python(self, value: Any) -> str:
        """Return the normal form, which is what the validators see."""
        return normal_address(super().to_python(value))


class InOurWords(SaysLimits, forms.Form):
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
