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
        """Register the personal data of emails, the kinds of email of every app, and the inboxes."""
        from accounts.mail import privacy
        from accounts.personal_data import PersonalData, register_personal_data

        register_personal_data(PersonalData(privacy.export, privacy.erase))
        autodiscover_modules("emails", "bounces", "check_emails", "replies", "unsubscribing")
