"""Queue notifications in the caller's own transaction, and know which of them browsers have shown.

Nothing here may open a connection: sending.py sends, and a tick finds the rows.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db.models import QuerySet

from accounts import clock
from accounts.models import User
from accounts.push.models import NoticeTarget, Push, PushSubscription, QueuedNotice, Row, TargetNotice

HOLD = timedelta(seconds=10)  # a player who goes on playing needs no notification
NO_HOLD = timedelta(0)  # a bot waits for it


@dataclass(frozen=True)
class Notice:
    """What a notification shows and opens. It says no more than the subject of the email.

    A notification with the same tag replaces an earlier one on the screen. `waiting` is the number of games
    that wait for the reader, for the icon of an installed site; None leaves it as it is. Other targets than
    browsers show nothing but `table`, the table's name, and open its `page`. `source` is the path of what the
    table is part of. No target but a bot's hears of what is `secret`: others may read there, and only the
    reader may know of it.
    """

    title: str
    path: str
    tag: str
    waiting: int | None = None
    table: str = ""
    page: str = ""
    source: str = ""
    is_secret: bool = False


Builder = Callable[[QueuedNotice], Notice | None]

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
    """Queue a notification for each browser and target of this person that is to get this kind.

    Safe to repeat. `email_key` is the key of the email about the same thing; `context` is plain JSON for the
    builder.
    """
    if kind in user.push_kinds:
        browsers = PushSubscription.objects.filter(user=user)
        _queue_once(
            Push(subscription=one, kind=kind, email_key=email_key, **_row(key, context)) for one in browsers
        )
    if user.has_notice_targets:
        targets = NoticeTarget.objects.filter(user=user, subject="")
        _queue_for_targets(targets, kind, key, context, NO_HOLD if user.is_bot else HOLD)


def queue_news(subject: str, kind: str, *, key: str, context: Mapping[str, Any]) -> None:
    """Queue public news about this subject for its targets. Safe to repeat."""
    _queue_for_targets(NoticeTarget.objects.filter(subject=subject), kind, key, context)


def _queue_for_targets(
    targets: QuerySet[NoticeTarget], kind: str, key: str, context: Mapping[str, Any], hold: timedelta = HOLD
) -> None:
    wanting = [one for one in targets.filter(off_at=None) if kind in one.kinds]
    _queue_once(TargetNotice(target=one, kind=kind, **_row(key, context, hold)) for one in wanting)


def _row(key: str, context: Mapping[str, Any], hold: timedelta = HOLD) -> dict[str, Any]:
    return {"key": key, "context": dict(context), "not_before": clock.now() + hold}


def _queue_once(rows: Iterable[Row]) -> None:
    """Write these rows, but none whose receiver has one with the same key."""
    found = list(rows)
    if found:
        type(found[0])._default_manager.bulk_create(found, ignore_conflicts=True)


def replaces_email(user: User | None, email_key: str) -> bool:
    """Return whether this person was shown everything in the email, and wants no email then."""
    if user is None or not user.push_instead:
        return False
    mine = Push.objects.filter(subscription__user=user, email_key=email_key)
    told = list(mine.values_list("key", "shown_at"))
    shown = {key for key, shown_at in told if shown_at is not None}
    return bool(told) and shown == {key for key, _shown_at in told}


def drop_messages(now: datetime) -> None:
    """Close the queued notifications of messages and news, after a restore: they are from before the backup.

    Those of turns and reminders are built again before they're sent, and not sent if there's no reason.
    """
    Push.objects.filter(done_at=None, kind=Push.Kind.MESSAGE).update(done_at=now, leased_until=None)
    still_built = (Push.Kind.TURN, Push.Kind.REMINDER)
    others = TargetNotice.objects.filter(done_at=None).exclude(kind__in=still_built)
    others.update(done_at=now, leased_until=None)
