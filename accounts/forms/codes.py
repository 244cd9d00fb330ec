"""Forms for codes other than sign-in codes."""

from __future__ import annotations

from allauth.account.forms import ConfirmEmailVerificationCodeForm, ConfirmPasswordResetCodeForm
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms

from accounts import sign_in_codes
from accounts.form_limits import SaysLimits


class _TypedCode(SaysLimits, forms.Form):
    """Mixin for allauth's forms that reads a code however a keyboard writes it."""

    def clean_code(self) -> str:
        self.cleaned_data["code"] = sign_in_codes.typed_code(self.cleaned_data["code"])
        return str(super().clean_code())  # type: ignore[misc]  # allauth's form has it


class AddressCodeForm(_TypedCode, ConfirmEmailVerificationCodeForm):
    """The code that confirms an address."""


class PasswordCodeForm(_TypedCode, ConfirmPasswordResetCodeForm):
    """The code for a new password."""


class SecondStepForm(_TypedCode, AuthenticateForm):
    """The code of an authenticator app, or a recovery code."""


class SecondStepAgainForm(_TypedCode, ReauthenticateForm):
    """The code of an authenticator app, or a recovery code, to confirm one's identity."""


class AddAppForm(_TypedCode, ActivateTOTPForm):
    """The first code of a new authenticator app."""
