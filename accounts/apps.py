"""Configuration of the accounts app, and the URL converter for row numbers."""

from django.apps import AppConfig
from django.core.validators import validate_email
from django.urls import register_converter
from django.urls.converters import IntConverter
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class RowNumber(IntConverter):
    """URL converter for row numbers that fit in 64 bits; longer ones match no URL."""

    regex = "[0-9]{1,18}"


class AccountsConfig(AppConfig):
    """App configuration of accounts."""

    name = "accounts"
    verbose_name = pgettext_lazy("admin", "accounts")

    def ready(self) -> None:
        """Register the URL converter and the personal data; set the error text of every email field."""
        from accounts import privacy
        from accounts.personal_data import PersonalData, register_personal_data

        register_personal_data(PersonalData(privacy.export, privacy.erase))
        register_converter(RowNumber, "number")
        validate_email.message = _("Enter a valid email address.")
