"""Queue emails in the caller's own transaction, alone or collected in digests.

Nothing here may contact a mail server or a broker: delivery.py sends, and a tick finds the rows.
"""

from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import F

from accounts import clock
from accounts.addresses import normal_address
from accounts.local_times import instant_of
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from accounts.signals import frequency_changed, reminders_changed

NO_HOLD = timedelta(0)
DAY = timedelta(days=1)


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

    The same key returns the first row again, also for concurrent callers. `context` holds ids as plain JSON,
    from which the kind's builder makes the email. With `forgets` it is emptied once the final state is
    known; with `forgets_address` the address is too. A str in `to` is an address without an account; if it
    still has none when the email is sent, the email is in the language of `by`, who caused it.
    """
    user = to if isinstance(to, User) else None
    address = normal_address(to.email if isinstance(to, User) else to)
    try:
        with transaction.atomic():
            return OutgoingEmail.objects.create(
                kind=kind,
                to_user=user,
                to_address=address,
                key=key,
                context={**context, "language": by.language} if by and user is None else dict(context),
                forgets=forgets,
                forgets_address=forgets_address,
                not_before=clock.now() + hold,
            )
    except IntegrityError:
        known = OutgoingEmail.objects.filter(key=key).first()
        if known is None:
            raise  # another constraint failed: the caller's error
        return known


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


# Digests: emails that collect several events until they are due


WAITING = "waiting"  # collects games where it is the reader's turn, at the frequency they chose
MOVED = "moved"  # collects other players' moves
CHAT = "message"  # collects the messages of one channel
DAILY = "daily"  # collects a day's messages, for readers without the daily email about their turns
KINDS = (WAITING, MOVED, CHAT, DAILY)


def collecting_email(
    kind: str, *, to: User, key_prefix: str, context: Mapping[str, Any], due: datetime
) -> OutgoingEmail:
    """Return the open digest with this key prefix; if there is none, queue a new one due at `due`.

    Its row stays locked until the caller's transaction ends, so that the sender sees what the caller wrote.
    To collect for several people, go through them in order of primary key, which avoids deadlocks.
    """
    while (email := newest(key_prefix)) is None or not is_open(email):
        # Two callers that find the same sent email make the same key, and the outbox accepts only one.
        key = f"{key_prefix}{email.pk if email else 0}"
        queue(kind, to=to, key=key, context=context, hold=due - clock.now())
    return email


def newest(key_prefix: str) -> OutgoingEmail | None:
    """Return the latest email whose key starts with `key_prefix`, locked."""
    found = OutgoingEmail.objects.select_for_update(of=("self",)).filter(key__startswith=key_prefix)
    return found.order_by("-pk").first()


def is_open(email: OutgoingEmail) -> bool:
    """Return whether no worker is sending this email and it is not closed.

    A worker whose lease ran out may still wake up and record the email as sent.
    An email whose connection broke may have arrived.
    """
    is_free = email.leased_until is None and not email.waits_for_server
    return email.state == OutgoingEmail.State.QUEUED and is_free


def is_being_written(email: OutgoingEmail) -> bool:
    """Return whether an open transaction is still adding to this digest, so that sending must wait.

    The worker sends other emails first.
    """
    if email.kind not in KINDS:
        return False
    with transaction.atomic():
        row = OutgoingEmail.objects.select_for_update(of=("self",), skip_locked=True).filter(pk=email.pk)
        return not list(row.values_list("pk"))


@transaction.atomic
def keep_preferences(user: User, columns: Iterable[str]) -> None:
    """Save these preference columns and apply them to queued emails and reminders."""
    user.save(update_fields=list(columns))
    # First, because games are locked before emails everywhere.
    reminders_changed.send(User, user=user, now=clock.now())
    follow_frequency(user)


@transaction.atomic
def follow_frequency(user: User) -> None:
    """Reschedule a person's queued digests after their preferences changed.

    No emails are merged or split; an email that was already tried keeps its retries.
    """
    now = clock.now()
    untried = OutgoingEmail.objects.filter(
        kind=WAITING, to_user=user, state=OutgoingEmail.State.QUEUED, attempts=0
    )
    for email in untried:
        due = next_send_at(user, email.created_at, now) or now
        untried.filter(pk=email.pk).update(not_before=due)
    frequency_changed.send(User, user=user, now=now)


# When to send an email about turns: at once, after some minutes, or daily at the person's chosen hour.


def next_send_at(user: User, asked: datetime, now: datetime) -> datetime | None:
    """Return when to send an email about turns since `asked`; None if the person gets no digests."""
    match user.frequency:
        case User.Frequency.BATCHED:
            return max(now, asked + timedelta(minutes=user.batch_minutes))
        case User.Frequency.DIGEST:
            return next_digest(user, now)
    return None


def next_digest(user: User, now: datetime) -> datetime:
    """Return the next moment after `now` that is the digest hour in this person's time zone.

    An hour skipped when clocks go forward comes later by as much. Of a repeated hour, the first counts.
    """
    today = now.astimezone(user.zone).date()
    moments = (_moment(user, today + DAY * days) for days in range(-1, 4))
    return min(moment for moment in moments if moment > now)


def _moment(user: User, day: date) -> datetime:
    return instant_of(datetime.combine(day, user.digest_at), user.zone)
