"""Push app: notifications in browsers (RFC 8030), next to the emails about the same things."""

from django.apps import AppConfig
from django.utils.translation import pgettext_lazy


class PushConfig(AppConfig):
    """App configuration of push notifications. Each app's `emails` module registers its kinds of them."""

    name = "accounts.push"
    label = "push"
    verbose_name = pgettext_lazy("admin", "notifications")

    def ready(self) -> None:
        """Connect the end of notifications to signing out, and register the personal data."""
        from accounts.personal_data import PersonalData, register_personal_data
        from accounts.push import privacy, signing_out  # noqa: F401

        register_personal_data(PersonalData(privacy.export, privacy.erase))
