"""The facts of a table, computed from its games: regions, victories, places, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from games.leagues.models import LeagueTable, RatedTable
from games.leagues.results.seat_holders import first_holders, holders_of_seats
from games.leagues.scoring.table_facts import SeatFacts, TableEnding, TableFacts, places_of
from games.models import Game
from games.models.matches import winners_of_match
from games.models.replay import replayed
from games.rules import POINTS_FOR_CONNECTED, EndReason, regions_scored
from games.services.game_endings import result_by_table
from games.services.scheduled_tables import winners_by_adjudication

_HOW = {
    "": TableEnding.RULES,
    Game.Ended.AGREEMENT: TableEnding.AGREEMENT,
    Game.Ended.ABANDONED: TableEnding.ABANDONED,
    Game.Ended.ADJUDICATED: TableEnding.ADJUDICATED,
}


class NotOver(Exception):
    """The table is still being played."""


@dataclass(frozen=True, slots=True)
class _Won:
    """What a table's games brought to each seat."""

    regions: tuple[int, ...]
    bonus: tuple[int, ...]
    winners: frozenset[int]

    @property
    def places(self) -> tuple[int, ...]:
        scores = [held + more for held, more in zip(self.regions, self.bonus, strict=True)]
        return places_of(scores, self.winners)


def facts_of_table(row: LeagueTable) -> TableFacts:
    """Compute the facts of a finished table from its games, ignoring stored facts and awards.

    Its number is the row's pk, as every round of a division has a table 1.
    Raises NotOver, and BrokenLog for a log that the rules refuse.
    """
    games = list(Game.objects.filter(table=row.table_id).select_related("table").order_by("number"))
    if not games or games[-1].table.state != games[-1].table.State.FINISHED:
        raise NotOver
    return _facts(row, games)


def facts_of_rated(row: RatedTable) -> TableFacts:
    """Compute the facts of a finished table outside leagues, whose number is its own, as of its only round.

    Raises BrokenLog for a log that the rules refuse.
    """
    games = list(Game.objects.filter(table=row.table_id).select_related("table").order_by("number"))
    return TableFacts(row.table_id, 1, _seats(games, first_holders(row.table)), _how(games))


def facts_if_adjudicated(row: LeagueTable, *, with_winner: bool) -> TableFacts | None:
    """Return what a running table would give if it were adjudicated now; None between two games."""
    games = list(Game.objects.filter(table=row.table_id).select_related("table").order_by("number"))
    if not games or games[-1].is_over:
        return None
    last = games[-1]
    for game in games:
        game.table = last.table
    last.table.state, last.ended = last.table.State.FINISHED, Game.Ended.ADJUDICATED
    last.result = result_by_table(last, winners_by_adjudication(last, with_winner=with_winner))
    return _facts(row, games)


def _facts(row: LeagueTable, games: Sequence[Game]) -> TableFacts:
    seated = dict(row.assignments.values_list("position", "entry__user_id"))
    return TableFacts(row.pk, row.round.number, _seats(games, seated), _how(games))


def _seats(games: Sequence[Game], seated: Mapping[int, int | None]) -> tuple[SeatFacts, ...]:
    won = _won(games)
    return tuple(
        [
            SeatFacts(held, won.regions[seat], won.bonus[seat], seat in won.winners, won.places[seat], left)
            for seat, (held, left) in enumerate(holders_of_seats(seated, games))
        ]
    )


def _won(games: Sequence[Game]) -> _Won:
    scored = [_scored(game) for game in games if game.final_battle is None]
    regions = tuple([sum(held) for held in zip(*[one[0] for one in scored], strict=True)])
    bonus = tuple([sum(more) for more in zip(*[one[1] for one in scored], strict=True)])
    return _Won(regions, bonus, frozenset(_winners(games)))


def _winners(games: Sequence[Game]) -> tuple[int, ...]:
    last = games[-1]
    if last.table.is_match:
        return winners_of_match(last.table, games) or ()
    return tuple((last.result or {}).get("winners") or ())


def _how(games: Sequence[Game]) -> TableEnding:
    """Return how the table ended.

    A match that everyone left between two games was abandoned, though its last game was not.
    """
    last = games[-1]
    if last.table.is_match and not last.ended and winners_of_match(last.table, games) is None:
        return TableEnding.ABANDONED
    return _HOW[last.ended]


def _scored(game: Game) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return each seat's regions at the end of a game, and the bonus for connected regions (R27).

    A game without a winner scores nothing (R49).
    """
    result = game.result or {"winners": []}
    if not result["winners"]:
        return (0,) * game.players, (0,) * game.players
    connected = result["winners"] if result["reason"] == EndReason.ADJACENT_REGIONS else ()
    bonus = tuple([POINTS_FOR_CONNECTED * (seat in connected) for seat in range(game.players)])
    points = result.get("points")
    if points is not None:
        return regions_scored(points, result["winners"], result["reason"]), bonus
    return tuple([held.bit_count() for held in replayed(game).state.holdings]), bonus
