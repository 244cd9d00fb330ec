"""Presence at a table: noted in agreed hours, and for players who chose to show it always."""

from __future__ import annotations

from datetime import datetime, timedelta

from accounts.full_disk import optional_write
from accounts.mail.models import OutgoingEmail
from games.models import Seat
from games.models.hours import is_in_hour
from games.services.notifications import turn_key

HOLD = timedelta(minutes=2)  # of a turn email, after its reader's visible page last asked
NOTED_EVERY = timedelta(seconds=8)


def note_presence(game: int, seat: Seat, now: datetime) -> None:
    """Note that this seat's player has a visible page open, and hold their turn email, in an agreed hour."""
    is_agreed = is_in_hour(seat, now)
    is_noted = seat.seen_at is not None and now - NOTED_EVERY < seat.seen_at <= now
    if is_noted or not (is_agreed or seat.shows_presence):
        return
    with optional_write("who is present"):
        Seat.objects.filter(table=seat.table_id, number=seat.number, user=seat.user_id).update(seen_at=now)
    if is_agreed and seat.decision_step is not None:
        key = turn_key(game, seat.number, seat.decision_step, seat.user_id)
        queued = OutgoingEmail.objects.filter(key=key, state=OutgoingEmail.State.QUEUED, attempts=0)
        with optional_write("that an email waits"):
            queued.filter(not_before__lt=now + HOLD).update(not_before=now + HOLD)
