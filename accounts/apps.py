"""The accounts app: people, their addresses and their preferences."""

from django.apps import AppConfig
from django.core.validators import validate_email
from django.urls import register_converter
from django.utils.translation import gettext_lazy as _

from accounts.paths import RowNumber


class AccountsConfig(AppConfig):
    """People and how they are reached."""

    name = "accounts"
    verbose_name = _("accounts")
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Addresses may say `<number:...>` from now on, and every form says "e-mail"."""
        register_converter(RowNumber, "number")
        validate_email.message = _("Enter a valid e-mail address.")
