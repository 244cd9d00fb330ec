"""Queue notifications in the caller's own transaction, and know which of them were shown.

Nothing here may open a connection: sending.py sends, and a tick finds the rows.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from accounts import clock
from accounts.models import User
from accounts.push.models import Push, PushSubscription

HOLD = timedelta(seconds=10)  # a player who goes on playing needs no notification


@dataclass(frozen=True)
class Notice:
    """What a notification shows and opens. It says no more than the subject of the email.

    A notification with the same tag replaces an earlier one on the screen. `waiting` is the number of games
    that wait for the reader, for the icon of an installed site; None leaves it as it is.
    """

    title: str
    path: str
    tag: str
    waiting: int | None = None


Builder = Callable[[Push], Notice | None]

BUILDERS: dict[str, Builder] = {}


def push_kind(kind: Push.Kind) -> Callable[[Builder], Builder]:
    """Register the decorated function, which builds notifications of this kind.

    It returns None if there is no longer a reason to send one.
    """

    def register(build: Builder) -> Builder:
        if kind in BUILDERS:
            raise ImproperlyConfigured(f"Two functions build the notifications {kind!r}.")
        BUILDERS[kind] = build
        return build

    return register


def notify(kind: Push.Kind, user: User, *, key: str, email_key: str, context: Mapping[str, Any]) -> None:
    """Queue a notification for each browser of this person, if they want this kind. Safe to repeat.

    `email_key` is the key of the email about the same thing; `context` is plain JSON for the builder.
    """
    if kind not in user.push_kinds:
        return
    due = clock.now() + HOLD
    Push.objects.bulk_create(
        [
            Push(
                subscription=browser,
                kind=kind,
                key=key,
                email_key=email_key,
                context=dict(context),
                not_before=due,
            )
            for browser in PushSubscription.objects.filter(user=user)
        ],
        ignore_conflicts=True,
    )


def replaces_email(user: User | None, email_key: str) -> bool:
    """Return whether this person was shown everything in the email, and wants no email then."""
    if user is None or not user.push_instead:
        return False
    mine = Push.objects.filter(subscription__user=user, email_key=email_key)
    told = list(mine.values_list("key", "shown_at"))
    shown = {key for key, shown_at in told if shown_at is not None}
    return bool(told) and shown == {key for key, _shown_at in told}


def drop_messages(now: datetime) -> None:
    """Close the queued notifications of messages, after a restore: they were queued before the backup.

    Those of turns and reminders are built again before they're sent, and not sent if there's no reason.
    """
    Push.objects.filter(done_at=None, kind=Push.Kind.MESSAGE).update(done_at=now, leased_until=None)
