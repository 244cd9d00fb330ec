"""The post app: the outbox, delivery, and the emails kept where there is no mail server."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MailConfig(AppConfig):
    """Emails and their fate."""

    name = "accounts.mail"
    label = "mail"
    verbose_name = _("mail")
    default_auto_field = "django.db.models.BigAutoField"
