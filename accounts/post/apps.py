"""The post app: the outbox, delivery, and the letters kept where there is no mail server."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class PostConfig(AppConfig):
    """Letters and their fate."""

    name = "accounts.post"
    label = "post"
    verbose_name = _("post")
    default_auto_field = "django.db.models.BigAutoField"
