"""Configuration of the accounts app, and the row numbers in its addresses."""

from django.apps import AppConfig
from django.core.validators import validate_email
from django.urls import register_converter
from django.urls.converters import IntConverter
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """People and how they are reached."""

    name = "accounts"
    verbose_name = _("accounts")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Addresses may say `<number:...>` from now on, and every form says "e-mail"."""
        register_converter(RowNumber, "number")
        validate_email.message = _("Enter a valid e-mail address.")


# How the numbers of rows stand in this site's addresses.


class RowNumber(IntConverter):
    """A number that a row can have: one of 64 bits. A longer one is no address of this site."""

    regex = "[0-9]{1,18}"
