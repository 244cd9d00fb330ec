"""Changes to the clocks of a game that its host decides alone, if the settings allow it.

These functions take the game's lock.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.rate_limits import hit
from games.clocks.pauses import PRESSED_TWICE, carry_out, require_sense
from games.models import Game, Proposal, Table, TimeEvent
from games.models.locking import Refused, locked_game

CHANGES_A_DAY = 20  # of a game: the players get an email about each pause
EVENT_OF = {
    Proposal.What.PAUSE: TimeEvent.Kind.PAUSED,
    Proposal.What.GO_ON: TimeEvent.Kind.RESUMED,
    Proposal.What.MORE_TIME: TimeEvent.Kind.EXTENDED,
}


def host_pauses(game: Game, host: User, days: int) -> None:
    """Pause the game for this many days; a running pause is replaced. Repeated clicks pause once.

    Raises Refused if the settings or the state do not allow it, or after too many changes today. So do the
    two functions below.
    """
    _decide_alone(game, host, Proposal.What.PAUSE, days)


def host_resumes(game: Game, host: User) -> None:
    """End the pause now."""
    _decide_alone(game, host, Proposal.What.GO_ON, None)


def host_gives_time(game: Game, host: User, hours: int) -> None:
    """Give more open hours for pending decisions. Clicks repeated within a minute count once."""
    _decide_alone(game, host, Proposal.What.MORE_TIME, hours)


@transaction.atomic
def _decide_alone(game: Game, host: User, what: Proposal.What, amount: int | None) -> None:
    game, now = locked_game(game.pk), clock.now()
    if game.table.time_by != Table.TimeBy.HOST or game.table.host_id != host.pk:
        raise Refused(_("At this table, the players decide this together. Propose it to them."))
    if _was_just_done(game, host, what, amount, now):
        return
    require_sense(game, what, amount, now)
    if not hit("change time", str(game.pk), CHANGES_A_DAY):
        raise Refused(_("You’ve tried too often today. Try again tomorrow."))
    carry_out(game, what, amount, host, now)


def _was_just_done(game: Game, host: User, what: Proposal.What, amount: int | None, now: datetime) -> bool:
    last = game.time_events.filter(by=host, at__gt=now - PRESSED_TWICE).last()
    if last is None or last.kind != EVENT_OF[what]:
        return False
    match what:
        case Proposal.What.PAUSE:
            return last.until == last.at + timedelta(days=amount or 0)
        case Proposal.What.MORE_TIME:
            return last.amount == timedelta(hours=amount or 0)
    return True
