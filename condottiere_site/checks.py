"""System checks for settings that are valid alone but wrong together."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, register
from django.utils.module_loading import import_string

KEPT = "accounts.mail.capture.CaptureBackend"
AT_HOME = {"localhost", "127.0.0.1", "::1", "testserver"}


@register()
def emails_have_builders(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that every email kind has a builder; else the error appears only when an email is due."""
    return [
        checks.Error(
            f"EMAIL_KINDS: {name}, which is to build {kind!r}, does not exist.", id="condottiere.E001"
        )
        for kind, name in settings.EMAIL_KINDS.items()
        if not _exists(name)
    ]


@register()
def fates_have_watchers(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Check that every watcher of delivery states exists; else the error appears only in the log."""
    return [
        checks.Error(f"EMAIL_FATES: {name}, to be told of {kind!r}, does not exist.", id="condottiere.E002")
        for kind, name in settings.EMAIL_FATES.items()
        if not _exists(name)
    ]


@register()
def emails_reach_people(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn if a public site has no mail server, so that only its operator can read its emails."""
    if settings.EMAIL_BACKEND != KEPT or settings.SITE_HOST in AT_HOME:
        return []
    hint = "Set EMAIL_URL, such as smtp+tls://name:password@mail.example.org:587."
    return [
        checks.Warning("No mail server is set: emails are kept, not sent.", hint=hint, id="condottiere.W001")
    ]


@register()
def proxy_is_announced(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn if SITE_URL is https without a configured proxy: the site itself does not encrypt."""
    if not settings.IS_HTTPS or settings.TRUSTED_PROXIES:
        return []
    why = "SITE_URL is https, but no proxy is announced: plain http is not redirected."
    hint = "Set TRUSTED_PROXIES to the number of proxies before the site (docs/HOSTING.md)."
    return [checks.Warning(why, hint=hint, id="condottiere.W002")]


def _exists(name: str) -> bool:
    try:
        return callable(import_string(name))
    except ImportError:
        return False
