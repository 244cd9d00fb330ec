"""Changes to the clocks of a whole game: pause, resume, more time.

All players decide them together (proposals.py), or the host alone (host_changes.py). Call these under the
game's lock. Nothing here reveals who is asked.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from accounts.mail.outbox import queue_each
from accounts.models import User
from games.clocks.countdown_changes import change_countdowns
from games.clocks.countdowns import countdown_of, settled
from games.clocks.counted_hours import HIDDEN, calendars_for
from games.clocks.policy import MOST_TIME
from games.clocks.running_clocks import is_paused, pace_of
from games.models import Game, Proposal, Seat, TimeEvent
from games.models.locking import Refused, present_people, require_running

DAYS_OF_PAUSE = range(1, 31)
HOURS_OF_MORE_TIME = range(1, 169)
PRESSED_TWICE = timedelta(minutes=1)


def pause(game: Game, by: User | None, days: int, now: datetime) -> None:
    """Pause all clocks for this many days from now; players may still move."""
    pause_until(game, by, now + timedelta(days=days), now)


def pause_until(game: Game, by: User | None, until: datetime, now: datetime, *, is_told: bool = True) -> None:
    """Pause all clocks until then; without `is_told`, the caller emails the players."""
    game.paused_until = until
    game.save(update_fields=["paused_until"])
    change_countdowns(game, now, lambda left, hours: settled(left, hours, now).resting_until(until))
    _record_change(game, TimeEvent.Kind.PAUSED, by, now, is_told=is_told, until=until)


def resume(game: Game, by: User | None, now: datetime, *, is_told: bool = True) -> None:
    """End the pause now; the clocks run again. Without `is_told`, the caller emails the players."""
    game.paused_until = None
    game.save(update_fields=["paused_until"])
    change_countdowns(game, now, lambda left, hours: settled(left, hours, now).resting_until(now))
    _record_change(game, TimeEvent.Kind.RESUMED, by, now, is_told=is_told)


def give_time(game: Game, by: User | None, hours: int, now: datetime) -> None:
    """Give this many more open hours for every pending decision."""
    more = timedelta(hours=hours)
    change_countdowns(game, now, lambda left, calendars: settled(left, calendars, now).extended(more))
    _record_change(game, TimeEvent.Kind.EXTENDED, by, now, is_told=False, amount=more)


def _record_change(
    game: Game, kind: str, by: User | None, now: datetime, *, is_told: bool, **what: object
) -> None:
    """Record the change for the players to see, and email them if it is a pause, which moves deadlines."""
    event = TimeEvent.objects.create(game=game, kind=kind, ply=game.ply, by=by, at=now, **what)
    if is_told:
        others = present_people(game).exclude(user=by)
        people = {f"clocks:{event.pk}:{seat.pk}": seat.person for seat in others}
        queue_each("clocks_changed", people, {"game": game.pk, "event": event.pk})


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
        raise Refused(_("The game isn’t paused."))


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
        resume(game, by, now)
    elif what == Proposal.What.PAUSE:
        pause(game, by, amount or 0, now)
    else:
        give_time(game, by, amount or 0, now)
