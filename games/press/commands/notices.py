"""Queues the letters that tell of messages, as each reader wants them. One letter tells of all that came
until it leaves."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings

from accounts import present
from accounts.models import User
from accounts.post.models import Letter
from accounts.post.outbox import queue
from accounts.rhythm import next_digest
from games.models import Seat
from games.press.following import wanted_letters
from games.press.models import Circle, Message

LETTER_KIND = "message"
# A letter this near its moment takes no more messages: the clocks of two machines differ a little.
_TOO_LATE = timedelta(seconds=2)


def tell_others(message: Message) -> None:
    """A letter to everybody else who wants one and has none waiting that will tell of this message too."""
    now = present.now()
    waiting = _readers_with_a_letter_waiting(message.circle, now)
    for reader in readers_of(message.circle):
        if reader.pk == message.author_id or reader.pk in waiting:
            continue
        hold = _hold(message.circle, reader, now)
        if hold is not None:
            queue(
                LETTER_KIND,
                to=reader,
                key=f"{letter_key(message.circle, reader)}{message.number}",
                about={"circle": message.circle_id, "since": message.number},
                hold=hold,
            )


def readers_of(circle: Circle) -> Iterable[User]:
    """The people at the table who read this circle, who can be written to; watchers are not."""
    seats = Seat.objects.filter(table=circle.table_id, user__is_active=True).select_related("user")
    if circle.is_private:
        seats = seats.filter(user__in=circle.members.values("user"))
    return [seat.person for seat in seats.order_by("user")]


def letter_key(circle: Circle, reader: User) -> str:
    """How the keys of all letters to this reader about this circle begin."""
    return f"{LETTER_KIND}:{circle.pk}:{reader.pk}:"


def _readers_with_a_letter_waiting(circle: Circle, now: datetime) -> set[int | None]:
    waiting = Letter.objects.filter(
        kind=LETTER_KIND,
        state=Letter.State.QUEUED,
        not_before__gt=now + _TOO_LATE,
        key__startswith=f"{LETTER_KIND}:{circle.pk}:",
    )
    return set(waiting.values_list("to_user_id", flat=True))


def _hold(circle: Circle, reader: User, now: datetime) -> timedelta | None:
    """How long his letter waits for more to tell; None: he wants none."""
    match wanted_letters(circle, reader):
        case User.TalkLetters.AT_ONCE:
            hold: timedelta = settings.TALK_HOLD
            return hold
        case User.TalkLetters.BATCHED:
            return timedelta(minutes=reader.batch_minutes)
        case User.TalkLetters.DIGEST:
            return next_digest(reader, now) - now
    return None
