"""Changes to the clocks of a whole game: pause, resume, more time.

All players decide them together, or the host if the settings allow it. Call these under the game's lock,
except the host's functions, which take it. Nothing here reveals who is asked.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.clocks.countdown_changes import change_countdowns
from games.clocks.countdowns import HIDDEN, calendars_for, countdown_of, is_paused, pace_of, settled
from games.clocks.policy import MOST_TIME
from games.models import Game, Proposal, Seat, Table, TimeEvent
from games.models.locking import Refused, locked_game, present_people, require_running

DAYS_OF_PAUSE = range(1, 31)
HOURS_OF_MORE_TIME = range(1, 169)
PRESSED_TWICE = timedelta(minutes=1)

# The three changes


def pause(game: Game, by: User | None, days: int, now: datetime) -> None:
    """Pause all clocks for this many days from now; players may still move."""
    pause_until(game, by, now + timedelta(days=days), now)


def pause_until(game: Game, by: User | None, until: datetime, now: datetime, *, is_told: bool = True) -> None:
    """Pause all clocks until then; without `is_told`, the caller emails the players."""
    game.paused_until = until
    game.save(update_fields=["paused_until"])
    change_countdowns(game, now, lambda left, hours: settled(left, hours, now).resting_until(until))
    _note(game, TimeEvent.Kind.PAUSED, by, now, is_told=is_told, until=until)


def go_on(game: Game, by: User | None, now: datetime, *, is_told: bool = True) -> None:
    """End the pause now; the clocks run again. Without `is_told`, the caller emails the players."""
    game.paused_until = None
    game.save(update_fields=["paused_until"])
    change_countdowns(game, now, lambda left, hours: settled(left, hours, now).resting_until(now))
    _note(game, TimeEvent.Kind.RESUMED, by, now, is_told=is_told)


def give_time(game: Game, by: User | None, hours: int, now: datetime) -> None:
    """Give this many more open hours for every pending decision."""
    more = timedelta(hours=hours)
    change_countdowns(game, now, lambda left, calendars: settled(left, calendars, now).extended(more))
    _note(game, TimeEvent.Kind.EXTENDED, by, now, is_told=False, amount=more)


def _note(game: Game, kind: str, by: User | None, now: datetime, *, is_told: bool, **what: object) -> None:
    """Record the change for the players to see, and email them if it is a pause, which moves deadlines."""
    event = TimeEvent.objects.create(game=game, kind=kind, ply=game.ply, by=by, at=now, **what)
    if is_told:
        for seat in present_people(game).exclude(user=by):
            context = {"game": game.pk, "event": event.pk}
            queue("clocks_changed", to=seat.person, key=f"clocks:{event.pk}:{seat.pk}", context=context)


# Checks and execution, for both ways to decide


def require_sense(game: Game, what: str, amount: int | None, now: datetime) -> None:
    """Raise Refused if this change to the game's clocks is not possible now."""
    require_running(game)
    if pace_of(game.table) is None:
        raise Refused(_("This table has no time limit, so there is nothing to pause or extend."))
    if what == Proposal.What.PAUSE and amount not in DAYS_OF_PAUSE:
        raise Refused(_("A pause can last 1 to 30 days. Choose a number of days in between."))
    if what == Proposal.What.MORE_TIME and amount not in HOURS_OF_MORE_TIME:
        raise Refused(_("You can add 1 to 168 hours at once. Choose a number of hours in between."))
    if what == Proposal.What.MORE_TIME and _would_have_too_much(game, timedelta(hours=amount or 0), now):
        raise Refused(
            _("A move can have 720 hours left at most. Nothing was changed. Choose fewer hours, or wait.")
        )
    if what == Proposal.What.GO_ON and not is_paused(game, now):
        raise Refused(_("The game isn't paused."))


def _would_have_too_much(game: Game, more: timedelta, now: datetime) -> bool:
    """Return whether a pending decision that everyone knows of would have more than the most time."""
    seats = list(Seat.objects.people().filter(table_id=game.table_id).order_by("number"))
    for seat in seats:
        countdown = countdown_of(seat)
        if countdown is None or seat.pending_decision == HIDDEN:  # R17: a refusal would reveal who is asked
            continue
        left = settled(countdown, calendars_for(seat, game.table, game, seats), now).time_left
        if left + more > MOST_TIME:
            return True
    return False


def carry_out(game: Game, what: str, amount: int | None, by: User | None, now: datetime) -> None:
    """Carry out what the players agreed or the host decided."""
    if what == Proposal.What.GO_ON:
        go_on(game, by, now)
    elif what == Proposal.What.PAUSE:
        pause(game, by, amount or 0, now)
    else:
        give_time(game, by, amount or 0, now)


# Decisions of the host alone


def host_pauses(game: Game, host: User, days: int) -> None:
    """Pause the game for this many days; a running pause is replaced. Repeated clicks pause once.

    Raises Refused if the settings or the state do not allow it; so do the two functions below.
    """
    _decide(game, host, Proposal.What.PAUSE, days)


def host_goes_on(game: Game, host: User) -> None:
    """End the pause now."""
    _decide(game, host, Proposal.What.GO_ON, None)


def host_gives_time(game: Game, host: User, hours: int) -> None:
    """Give more open hours for pending decisions. Clicks repeated within a minute count once."""
    _decide(game, host, Proposal.What.MORE_TIME, hours)


_KIND_OF = {
    Proposal.What.PAUSE: TimeEvent.Kind.PAUSED,
    Proposal.What.GO_ON: TimeEvent.Kind.RESUMED,
    Proposal.What.MORE_TIME: TimeEvent.Kind.EXTENDED,
}


@transaction.atomic
def _decide(game: Game, host: User, what: Proposal.What, amount: int | None) -> None:
    game, now = locked_game(game), clock.now()
    if game.table.time_by != Table.TimeBy.HOST or game.table.host_id != host.pk:
        raise Refused(_("At this table, the players decide this together. Propose it to them."))
    if _was_just_done(game, host, what, amount, now):
        return
    require_sense(game, what, amount, now)
    carry_out(game, what, amount, host, now)


def _was_just_done(game: Game, host: User, what: Proposal.What, amount: int | None, now: datetime) -> bool:
    last = game.time_events.filter(by=host, at__gt=now - PRESSED_TWICE).last()
    if last is None or last.kind != _KIND_OF[what]:
        return False
    match what:
        case Proposal.What.PAUSE:
            return last.until == last.at + timedelta(days=amount or 0)
        case Proposal.What.MORE_TIME:
            return last.amount == timedelta(hours=amount or 0)
    return True
