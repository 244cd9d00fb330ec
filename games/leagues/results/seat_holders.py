"""The holders of each seat of a table, and their turns, read from the logs of its games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from games.leagues.scoring.seat_turns import (
    START,
    HeldSince,
    Moment,
    PlayedBy,
    SeatTurn,
    has_left,
    holders_with_turns,
)
from games.leagues.scoring.table_facts import Holder
from games.models import Game, LogEntry, SeatChange, Table, TimeEvent

_PLAYED_BY = {
    LogEntry.Via.BOT.value: PlayedBy.BOT,
    LogEntry.Via.CLOCK.value: PlayedBy.CLOCK,
} | {via.value: PlayedBy.HOLDER for via in LogEntry.OWN_TURNS}


def first_holders(table: Table) -> Mapping[int, int | None]:
    """Return the person who sat in each seat of a table when its first game began."""
    seated = dict(table.seats.values_list("number", "user"))
    changes = SeatChange.objects.filter(game__table=table).order_by("-at", "-pk")
    return seated | dict(changes.values_list("seat", "before"))


def holders_of_seats(
    seated: Mapping[int, int | None], games: Sequence[Game]
) -> list[tuple[tuple[Holder, ...], bool]]:
    """Return the holders of each seat, and whether its last holder had left it at the end.

    `seated` has the first holder of each.
    """
    turns, returns, most_misses = _turns(games), _returns(games), games[0].table.most_misses
    return [
        (
            holders_with_turns(held, turns[seat]),
            has_left(held[-1], turns[seat], returns[seat], most_misses),
        )
        for seat, held in _held(seated, games).items()
    ]


def _held(seated: Mapping[int, int | None], games: Sequence[Game]) -> dict[int, list[HeldSince]]:
    held = {seat: [HeldSince(seated.get(seat), START)] for seat in range(games[0].players)}
    changes = SeatChange.objects.filter(game__in=games).order_by("game__number", "ply", "pk")
    for seat, player, game, ply in changes.values_list("seat", "after", "game__number", "ply"):
        held[seat].append(HeldSince(player, (game, ply)))
    return held


def _turns(games: Sequence[Game]) -> dict[int, list[SeatTurn]]:
    entries = LogEntry.objects.filter(game__in=games, seat__isnull=False).order_by()
    found = defaultdict[int, list[SeatTurn]](list)
    for seat, game, ply, via, move in entries.values_list("seat", "game__number", "ply", "via", "move"):
        found[seat or 0].append(SeatTurn((game, ply), _PLAYED_BY[via], move in LogEntry.SECRET_MOVES))
    return found


def _returns(games: Sequence[Game]) -> dict[int, list[Moment]]:
    back = TimeEvent.objects.filter(game__in=games, kind=TimeEvent.Kind.BACK, seat__isnull=False)
    found = defaultdict[int, list[Moment]](list)
    for seat, game, ply in back.order_by().values_list("seat", "game__number", "ply"):
        found[seat or 0].append((game, ply))
    return found
