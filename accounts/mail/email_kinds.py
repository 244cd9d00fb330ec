"""Kinds of email: each is registered at the function that builds it, in the `emails` module of its app."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ImproperlyConfigured
from django.utils.functional import Promise

from accounts.mail.email_content import Content
from accounts.mail.models import OutgoingEmail

Builder = Callable[[OutgoingEmail], Content | None]
OutcomeHandler = Callable[[OutgoingEmail, datetime], None]


@dataclass(frozen=True)
class EmailKind:
    """What the site knows about one kind of email.

    `name` is shown in the reader's list of emails. `build` returns the content, or None if there is no longer
    a reason to send it. `on_outcome` is called with (email, now) once the email is sent, failed or bounced.
    With `asks`, someone waits for the reader's answer: it's still sent after the site was restored from a
    backup, though it may have been sent before.
    """

    name: Promise
    build: Builder
    on_outcome: OutcomeHandler | None = None
    asks: bool = False


EMAIL_KINDS: dict[str, EmailKind] = {}


def email_kind(
    kind: str, *, name: Promise, on_outcome: OutcomeHandler | None = None, asks: bool = False
) -> Callable[[Builder], Builder]:
    """Register the decorated function as the builder of this kind of email.

    `name` must be lazy, because modules are imported before a reader's language is known.
    """

    def register(build: Builder) -> Builder:
        if kind in EMAIL_KINDS:
            raise ImproperlyConfigured(f"The email kind {kind!r} is registered twice. Rename one of them.")
        EMAIL_KINDS[kind] = EmailKind(name, build, on_outcome, asks)
        return build

    return register
