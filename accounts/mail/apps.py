"""Mail app: the outbox, delivery, and captured emails for sites without a mail server."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from django.utils.translation import pgettext_lazy


class MailConfig(AppConfig):
    """App configuration of the outbox and email delivery."""

    name = "accounts.mail"
    label = "mail"
    verbose_name = pgettext_lazy("admin", "email")

    def ready(self) -> None:
        """Import what registers every app's kinds of email, and what it reads of received mail."""
        autodiscover_modules("emails", "bounces", "replies", "unsubscribing")
