"""Configuration of the accounts app, and the URL converter for row numbers."""

from django.apps import AppConfig
from django.core.validators import validate_email
from django.urls import register_converter
from django.urls.converters import IntConverter
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class AccountsConfig(AppConfig):
    """App configuration of accounts."""

    name = "accounts"
    verbose_name = pgettext_lazy("admin", "accounts")

    def ready(self) -> None:
        """Register the `<number:...>` URL converter, and set the email error text of every form."""
        register_converter(RowNumber, "number")
        validate_email.message = _("Enter a valid email address.")


# Row numbers in URLs


class RowNumber(IntConverter):
    """URL converter for row numbers that fit in 64 bits; longer ones match no URL."""

    regex = "[0-9]{1,18}"
