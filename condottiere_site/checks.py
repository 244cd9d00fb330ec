"""System checks for settings that are valid alone but wrong together."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, register

from accounts.mail.capture import emails_are_captured

AT_HOME = {"localhost", "127.0.0.1", "::1", "testserver"}


@register()
def emails_reach_people(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn if a public site has no mail server, so that only its operator can read its emails."""
    if not emails_are_captured() or settings.SITE_HOST in AT_HOME:
        return []
    hint = "Set EMAIL_URL, such as smtp+tls://name:password@mail.example.org:587."
    return [
        checks.Warning(
            "No mail server is set: emails are captured, not sent.", hint=hint, id="condottiere.W001"
        )
    ]


@register()
def mailbox_has_an_address(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn if there is a mailbox, but no address whose mail comes to it."""
    if not settings.MAILBOX_URL or settings.REPLY_ADDRESS or settings.BOUNCE_ADDRESS:
        return []
    hint = "Set REPLY_ADDRESS or BOUNCE_ADDRESS (docs/EMAIL.md)."
    return [checks.Warning("MAILBOX_URL is set, but no mail goes there.", hint=hint, id="condottiere.W003")]


@register()
def proxy_is_announced(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn if SITE_URL is https without a configured proxy: the site itself does not encrypt."""
    if not settings.IS_HTTPS or settings.TRUSTED_PROXIES:
        return []
    why = "SITE_URL is https, but no proxy is announced: plain http is not redirected."
    hint = "Set TRUSTED_PROXIES to the number of proxies before the site (docs/HOSTING.md)."
    return [checks.Warning(why, hint=hint, id="condottiere.W002")]
