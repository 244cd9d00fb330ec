"""Forms for setting, changing and resetting a password."""

from __future__ import annotations

from allauth.account.forms import ChangePasswordForm, ResetPasswordForm, ResetPasswordKeyForm, SetPasswordForm

from accounts.forms.fields import AddressField, InOurWords


class OwnSetPasswordForm(InOurWords, SetPasswordForm):
    """Form for a first password."""


class OwnChangePasswordForm(InOurWords, ChangePasswordForm):
    """Form for a new password, for people who know the present one."""


class AskForPasswordForm(InOurWords, ResetPasswordForm):
    """Form that starts a password reset."""

    email = AddressField()


class ForgottenPasswordForm(InOurWords, ResetPasswordKeyForm):
    """Form for a new password after the reset code."""
