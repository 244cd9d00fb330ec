"""System checks for settings that are valid alone but wrong together, and for misspelt ones."""

import os
import re
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.core.checks import CheckMessage, register

from accounts.mail.capture import emails_are_captured
from condottiere_site import environment

AT_HOME = {"localhost", "127.0.0.1", "::1", "testserver"}
ALIKE = 0.88  # of 1: MAILBOX_URI and MAILBOX_URL are, SMTP_URL and SITE_URL aren't


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


@register()
def host_is_whole(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn if SITE_URL is https and its host has no dot: no certificate authority knows such names."""
    if not settings.IS_HTTPS or settings.SITE_HOST in AT_HOME or re.search("[.:]", settings.SITE_HOST):
        return []
    why = "SITE_URL has a host without a dot, which only your own network can find."
    return [
        checks.Warning(
            why, hint="Set it to the whole name, such as https://games.example.org.", id="condottiere.W005"
        )
    ]


@register()
def names_are_spelt_right(app_configs: Sequence[AppConfig] | None, **kwargs: Any) -> list[CheckMessage]:
    """Warn of variables whose names are nearly those of settings, because nothing reads them."""
    given = {name.removesuffix("_FILE") for name in os.environ} - environment.asked
    return [
        checks.Warning(f"{name} is no setting.", hint=f"Did you mean {near[0]}?", id="condottiere.W004")
        for name in sorted(given)
        if (near := get_close_matches(name, sorted(environment.asked), n=1, cutoff=ALIKE))
    ]
