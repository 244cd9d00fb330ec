"""What can be wrong with a site's settings though each of them is fine by itself."""

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
    """A kind of email without its function would be noticed only when the first such email is due."""
    return [
        checks.Error(
            f"EMAIL_KINDS: {name}, which is to build {kind!r}, does not exist.", id="condottiere.E001"
        )
        for kind, name in settings.EMAIL_KINDS.items()
        if not _exists(name)
    ]


@register()
def fates_have_watchers(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """A fate nobody can be told of would be noticed only in the log."""
    return [
        checks.Error(f"EMAIL_FATES: {name}, to be told of {kind!r}, does not exist.", id="condottiere.E002")
        for kind, name in settings.EMAIL_FATES.items()
        if not _exists(name)
    ]


@register()
def emails_reach_people(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """A site others can reach, whose emails only its operator can read, was hardly meant."""
    if settings.EMAIL_BACKEND != KEPT or settings.SITE_HOST in AT_HOME:
        return []
    hint = "Set EMAIL_URL, such as smtp+tls://name:password@mail.example.org:587."
    return [
        checks.Warning("No mail server is set: emails are kept, not sent.", hint=hint, id="condottiere.W001")
    ]


@register()
def proxy_is_announced(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Nothing here encrypts, so something stands before a site whose address is https."""
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
