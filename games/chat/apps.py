"""The Django app for chat at a table."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy

from accounts.signals import frequency_changed


class ChatConfig(AppConfig):
    name = "games.chat"
    label = "chat"
    verbose_name = pgettext_lazy("admin", "chat")

    def ready(self) -> None:
        """Connect the signal about how often people want emails; register the personal data of the chat."""
        from accounts.personal_data import PersonalData, register_personal_data
        from games.chat import privacy
        from games.chat.services.message_emails import regroup_chat_emails

        frequency_changed.connect(regroup_chat_emails)
        register_personal_data(
            PersonalData(privacy.export, privacy.erase, redact=privacy.redact, prepare=privacy.prepare)
        )
