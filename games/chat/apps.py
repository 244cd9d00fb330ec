"""The Django app for chat at a table."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy


class ChatConfig(AppConfig):
    name = "games.chat"
    label = "chat"
    verbose_name = pgettext_lazy("admin", "chat")
