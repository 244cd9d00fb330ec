"""The turns of a seat: which of its holders played or missed them, and whether the last one had left.

A match is several games at one table, so a moment is the number of a game and an entry of its log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from games.leagues.scoring.table_facts import Holder

Moment = tuple[int, int]  # number of the game, ply of the log entry
START = (0, 0)


class PlayedBy(StrEnum):
    """What made a move: the holder of the seat, a bot, or the clock once the holder ran out of time."""

    HOLDER = "holder"
    BOT = "bot"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class SeatTurn:
    """A turn of a seat; `is_secret` if no one else could see whose it was."""

    at: Moment
    played_by: PlayedBy
    is_secret: bool


@dataclass(frozen=True, slots=True)
class HeldSince:
    """The holder of a seat from a moment on; None is a bot in an empty seat."""

    player: int | None
    since: Moment


def holders_with_turns(held: Sequence[HeldSince], turns: Iterable[SeatTurn]) -> tuple[Holder, ...]:
    """Return the holders of a seat in order, each with the turns they played and those they missed.

    A bot's turns in a person's seat count for no one.
    """
    played, missed = Counter[int](), Counter[int]()
    for turn in turns:
        at = sum([one.since <= turn.at for one in held]) - 1
        is_bots_own = turn.played_by == PlayedBy.BOT and held[at].player is None
        played[at] += turn.played_by == PlayedBy.HOLDER or is_bots_own
        missed[at] += turn.played_by == PlayedBy.CLOCK
    return tuple([Holder(one.player, played[at], missed[at]) for at, one in enumerate(held)])


def has_left(last: HeldSince, turns: Sequence[SeatTurn], returns: Iterable[Moment], most_misses: int) -> bool:
    """Return whether, since a holder last arrived, came back or played, others played for them.

    That is a bot, or the clock often enough for a bot to take over.
    """
    own = [turn.at for turn in turns if turn.played_by == PlayedBy.HOLDER]
    since = max(last.since, *returns, *own, START)
    others = [
        turn
        for turn in turns
        if turn.at >= since and turn.played_by != PlayedBy.HOLDER and not turn.is_secret
    ]
    missed = [turn for turn in others if turn.played_by == PlayedBy.CLOCK]
    return len(missed) >= most_misses or len(missed) < len(others)
