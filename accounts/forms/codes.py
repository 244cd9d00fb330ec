"""Forms for codes other than sign-in codes."""

from __future__ import annotations

from allauth.account.forms import ConfirmEmailVerificationCodeForm, ConfirmPasswordResetCodeForm
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms

from accounts import sign_in_codes


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
    """The code of an authenticator app, or a recovery code, to confirm one's identity."""


class AddAppForm(_TypedCode, ActivateTOTPForm):  # type: ignore[misc]  # allauth ships no types
    """The first code of a new authenticator app."""
