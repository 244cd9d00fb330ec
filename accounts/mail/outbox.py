"""Queue emails in the caller's own transaction.

Nothing here may contact a mail server or a broker: delivery.py sends, and a tick finds the rows.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F

from accounts import clock
from accounts.addresses import normal_address
from accounts.mail.models import OutgoingEmail
from accounts.models import User

NO_HOLD = timedelta(0)

_gives_way = ContextVar("gives_way", default=False)


@contextmanager
def giving_way() -> Iterator[None]:
    """Let emails queued inside give way to all others. For ticks, which may queue thousands at once.

    Also a decorator.
    """
    token = _gives_way.set(True)
    try:
        yield
    finally:
        _gives_way.reset(token)


def queue(
    kind: str,
    *,
    to: User | str,
    key: str,
    context: Mapping[str, Any],
    by: User | None = None,
    hold: timedelta = NO_HOLD,
    forgets: bool = False,
    forgets_address: bool = False,
) -> OutgoingEmail:
    """Queue one email, to be sent after `hold` at the earliest if it is still needed then.

    The same key leaves the first row as it is and returns its id, also for concurrent callers. `context`
    holds ids as plain JSON, from which the kind's builder makes the email. With `forgets` it is emptied once
    the final state is known; with `forgets_address` the address is too. A str in `to` is an address without
    an account; if it still has none when the email is sent, the email is in the language of `by`, who
    caused it.
    """
    if by and not isinstance(to, User):
        context = {**context, "language": by.language}
    row = _row(kind, to, key, context, hold)
    row.forgets, row.forgets_address = forgets, forgets_address
    _store([row])
    return row


def queue_each(
    kind: str, to: Mapping[str, User], context: Mapping[str, Any], hold: timedelta = NO_HOLD
) -> None:
    """Queue an email to each of several people, as `queue` does, in one statement; `to` has their keys."""
    _store([_row(kind, person, key, context, hold) for key, person in to.items()])


def _row(kind: str, to: User | str, key: str, context: Mapping[str, Any], hold: timedelta) -> OutgoingEmail:
    return OutgoingEmail(
        kind=kind,
        to_user=to if isinstance(to, User) else None,
        to_address=normal_address(to.email if isinstance(to, User) else to),
        key=key,
        context=dict(context),
        not_before=clock.now() + hold,
        gives_way=_gives_way.get(),
    )


def _store(rows: Sequence[OutgoingEmail]) -> None:
    # One statement without a savepoint: a row of this key gets the key it has, and returns its id.
    OutgoingEmail.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["key"], update_fields=["key"]
    )


def clock_was_put_back(by: timedelta, now: datetime) -> None:
    """Move up emails that were queued while the clock was ahead, so that they wait no longer than planned."""
    ahead = OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED, created_at__gt=now)
    ahead.update(not_before=F("not_before") - by)


def delayed(keys: Iterable[str]) -> frozenset[str]:
    """Return the keys whose email was not accepted yet and will be retried."""
    waiting = OutgoingEmail.objects.filter(key__in=keys, state=OutgoingEmail.State.QUEUED).exclude(
        last_error=""
    )
    return frozenset(waiting.values_list("key", flat=True))


def not_reached(keys: Iterable[str]) -> frozenset[str]:
    """Return the keys whose email will not arrive: failed, bounced or unsubscribed.

    Only the reader may know which of the three it was.
    """
    fates = (OutgoingEmail.State.FAILED, OutgoingEmail.State.BOUNCED, OutgoingEmail.State.UNSUBSCRIBED)
    return frozenset(
        OutgoingEmail.objects.filter(key__in=keys, state__in=fates).values_list("key", flat=True)
    )
