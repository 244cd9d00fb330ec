"""Forms that a browser fills with a passkey's answer; anyone can send other text, which is refused."""

from __future__ import annotations

from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn.forms import AddWebAuthnForm, LoginWebAuthnForm, ReauthenticateWebAuthnForm
from django import forms

from accounts.form_limits import SaysLimits

LONGEST_CREDENTIAL = 50_000  # characters of JSON; browsers send some 2,000


class CredentialField(forms.JSONField):
    """The JSON that a script of the page puts there. Deep nesting and endless numbers are invalid too."""

    def to_python(self, value: Any) -> Any:
        try:
            if len(str(value)) <= LONGEST_CREDENTIAL:
                return super().to_python(value)
        except (RecursionError, ValueError):
            pass
        raise get_adapter().validation_error("incorrect_code")


class _ReadsAnyCredential(SaysLimits, forms.Form):
    """Mixin for allauth's forms: an answer that lacks a part is refused like a wrong key."""

    credential = CredentialField(required=True, widget=forms.HiddenInput)

    def _clean_fields(self) -> None:
        self._refusing("credential", super()._clean_fields)  # type: ignore[misc]  # Django's own, without a type

    def _clean_form(self) -> None:
        self._refusing(None, super()._clean_form)  # type: ignore[misc]  # the same

    def _refusing(self, field: str | None, clean: Any) -> None:
        try:
            clean()
        except (AttributeError, LookupError, TypeError, ValueError):
            self.add_error(field, get_adapter().validation_error("incorrect_code"))


class PasskeySignInForm(_ReadsAnyCredential, LoginWebAuthnForm):
    """Sign in with a passkey."""


class PasskeyAgainForm(_ReadsAnyCredential, ReauthenticateWebAuthnForm):
    """Confirm one's identity with a passkey."""


class NewPasskeyForm(_ReadsAnyCredential, AddWebAuthnForm):
    """Add a passkey."""
