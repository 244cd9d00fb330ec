"""The accounts app: people, their addresses and their preferences."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(AppConfig):
    """People and how they are reached."""

    name = "accounts"
    verbose_name = _("accounts")
    default_auto_field = "django.db.models.BigAutoField"
