"""Changes to the countdowns of a game's pending decisions, such as the time of an outage given back.

Call these under the game's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from datetime import datetime, timedelta

from accounts.working_hours import Hours
from games.clocks.countdowns import COUNTDOWN_COLUMNS, countdown_of, without, write_countdown
from games.clocks.counted_hours import HIDDEN, NOBODYS, Calendars, calendars_for
from games.clocks.policy import Countdown
from games.models import Game, Outage, Seat, TimeEvent
from games.models.locking import seats_of

Change = Callable[[Countdown, Calendars], Countdown]
Limit = Callable[[Seat, datetime, Calendars, datetime], None]


def no_limit(seat: Seat, due_before: datetime, calendars: Calendars, now: datetime) -> None:
    """Leave the changed countdown as it is."""


def change_countdowns(
    game: Game,
    now: datetime,
    change: Change,
    *,
    of: Callable[[Seat], bool] = lambda seat: True,
    before: Mapping[int, Hours] = NOBODYS,
    limit: Limit = no_limit,
    seats: Collection[Seat] | None = None,
) -> bool:
    """Change the countdowns of a game's pending decisions, after giving back the time of outages.

    Returns whether there were any, paused ones included. `before` has the old hours of users whose calendar
    has changed. `limit` may adjust the row last, given its previous deadline. `seats` are all of the table's,
    where the caller has read them under the lock.
    """
    give_outages_back(game, now, before, seats)
    return _change_and_save(game, now, change, of=of, before=before, limit=limit, seats=seats)


def give_outages_back(
    game: Game,
    now: datetime,
    before: Mapping[int, Hours] = NOBODYS,
    seats: Collection[Seat] | None = None,
) -> bool:
    """Give the game any outage time not given back yet; return whether there was any.

    Code that counts a game's time or enforces a deadline calls this first, under the game's lock.
    """
    given = [_give_back(game, outage, now, before, seats) for outage in Outage.objects.open()]
    return any(given)


def _give_back(
    game: Game,
    outage: Outage,
    now: datetime,
    before: Mapping[int, Hours],
    seats: Collection[Seat] | None,
) -> bool:
    """Give one outage's time back to clocks that count from before its end.

    Others are paused for longer, or have been given this time already.
    """
    start, end = outage.start, outage.end
    given = _change_and_save(
        game,
        now,
        lambda countdown, calendars: without(countdown, calendars, start, end),
        of=lambda seat: seat.counted_from is not None and seat.counted_from < end,
        before=before,
        limit=no_limit,
        seats=seats,
    )
    if given:
        kind = TimeEvent.Kind.CREDITED
        TimeEvent.objects.create(game=game, kind=kind, ply=game.ply, amount=end - start, at=now)
    return given


def _change_and_save(
    game: Game,
    now: datetime,
    change: Change,
    *,
    of: Callable[[Seat], bool],
    before: Mapping[int, Hours],
    limit: Limit,
    seats: Collection[Seat] | None,
) -> bool:
    """Change the countdowns of these seats and save their rows; return whether there were any."""
    seats = seats_of(game) if seats is None else seats
    people, found = [seat for seat in seats if seat.user is not None], False
    for seat in people:
        countdown = countdown_of(seat)
        if countdown is not None and seat.due_at is not None and of(seat):
            calendars, due_before = calendars_for(seat, game.table, game, people), seat.due_at
            old = calendars_for(seat, game.table, game, people, before) if before else calendars
            changed = change(countdown, old)
            write_countdown(seat, changed, calendars, now)
            limit(seat, due_before, calendars, now)
            seat.save(update_fields=COUNTDOWN_COLUMNS)
            found = True
    return found


def give_back(game: Game, seat: Seat, change: Change, now: datetime, seats: Collection[Seat]) -> None:
    """Change the countdown of one of the table's seats, whose email left late, and record the time gained."""
    before = seat.due_at
    change_countdowns(game, now, change, of=lambda one: one is seat, seats=seats)
    if before is not None and seat.due_at is not None and seat.due_at > before:
        note_credit(game, seat, seat.due_at - before, now)


def note_credit(game: Game, seat: Seat, amount: timedelta, now: datetime) -> None:
    """Record the time gained, for the players to see.

    A credit for a secret decision is not recorded: it would reveal who was asked (R17).
    """
    if seat.pending_decision != HIDDEN:
        kind, number = TimeEvent.Kind.CREDITED, seat.number
        TimeEvent.objects.create(game=game, kind=kind, ply=game.ply, seat=number, amount=amount, at=now)
