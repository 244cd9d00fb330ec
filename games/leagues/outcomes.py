"""What became of a table, told by its games alone: who held which seat in how many turns, how many regions
each had at the end, who won, and by what. The standings are computed from nothing else.

Players are the numbers of their accounts: who holds another's seat need not be in the season himself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count

from games.leagues.models import LeagueTable
from games.leagues.scoring import Holder, How, SeatFacts, TableFacts
from games.matches import winners_of_match
from games.models import Game, LogEntry, SeatChange
from games.replaying import replayed
from games.rules import regions_scored
from games.rules.outcome import ADJACENT_REGIONS, POINTS_FOR_CONNECTED

OWN_WAYS = (LogEntry.Via.WEB, LogEntry.Via.LINK)
_HOW = {
    "": How.RULES,
    Game.Ended.AGREEMENT: How.AGREEMENT,
    Game.Ended.ABANDONED: How.ABANDONED,
    Game.Ended.ADJUDICATED: How.ADJUDICATED,
}


class NotOver(Exception):
    """The table is still played at."""


@dataclass(frozen=True, slots=True)
class _Won:
    """What a table's games brought its seats."""

    regions: tuple[int, ...]
    bonus: tuple[int, ...]
    winners: frozenset[int]
    how: How

    @property
    def places(self) -> tuple[int, ...]:
        """Winners first, then by what was scored; who has the same shares a place. Where nobody has won, all
        share the first."""
        if not self.winners:
            return (1,) * len(self.regions)
        scored = [
            (seat in self.winners, 0 if seat in self.winners else held + more)
            for seat, (held, more) in enumerate(zip(self.regions, self.bonus, strict=True))
        ]
        return tuple([1 + sum([other > own for other in scored]) for own in scored])


def facts_of_table(row: LeagueTable) -> TableFacts:
    """The facts of a table that is over, computed from its games, whatever is stored; without awards. Its
    number is the row's (pk): a division has a table 1 in each round.

    Raises NotOver, and BrokenLog for a log that the rules refuse.
    """
    games = list(Game.objects.filter(table=row.table_id).select_related("table").order_by("number"))
    if not games or games[-1].table.state != games[-1].table.State.FINISHED:
        raise NotOver
    won, holders = _won(games), _holders(row, games)
    seats = [
        SeatFacts(held, won.regions[seat], won.bonus[seat], seat in won.winners, won.places[seat])
        for seat, held in enumerate(holders)
    ]
    return TableFacts(row.pk, row.round.number, tuple(seats), won.how)


# Who won, and with how much


def _won(games: Sequence[Game]) -> _Won:
    scored = [_scored(game) for game in games if game.final_battle is None]
    regions = tuple([sum(held) for held in zip(*[one[0] for one in scored], strict=True)])
    bonus = tuple([sum(more) for more in zip(*[one[1] for one in scored], strict=True)])
    return _Won(regions, bonus, frozenset(_winners(games)), _how(games))


def _winners(games: Sequence[Game]) -> tuple[int, ...]:
    last = games[-1]
    if last.table.is_match:
        return winners_of_match(last.table, games) or ()
    return tuple((last.result or {}).get("winners") or ())


def _how(games: Sequence[Game]) -> How:
    """A match that everybody has left between two games was abandoned, though its last game was not."""
    last = games[-1]
    if last.table.is_match and not last.ended and winners_of_match(last.table, games) is None:
        return How.ABANDONED
    return _HOW[last.ended]


def _scored(game: Game) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Each seat's regions at the end of a game, and what more a victory by connected regions scores (R27). A
    game that nobody has won scores nothing (R49)."""
    result = game.result or {"winners": []}
    if not result["winners"]:
        return (0,) * game.players, (0,) * game.players
    connected = result["winners"] if result["reason"] == ADJACENT_REGIONS else ()
    bonus = tuple([POINTS_FOR_CONNECTED * (seat in connected) for seat in range(game.players)])
    points = result.get("points")
    if points is not None:
        return regions_scored(points, result["winners"], result["reason"]), bonus
    return tuple([held.bit_count() for held in replayed(game).state.holdings]), bonus


# Who held which seat


def _holders(row: LeagueTable, games: Sequence[Game]) -> list[tuple[Holder, ...]]:
    seated = dict(row.chairs.values_list("position", "entry__user_id"))
    changes = list(SeatChange.objects.filter(game__in=games).order_by("game__number", "ply", "pk"))
    spans = {seat: [_Span(player, 0, 0)] for seat, player in sorted(seated.items())}
    numbers = {game.pk: game.number for game in games}
    for change in changes:
        spans[change.seat].append(_Span(change.after_id, numbers[change.game_id], change.ply))
    turns = _turns(games, spans if changes else {})
    return [_held(seat, held, turns) for seat, held in spans.items()]


@dataclass(frozen=True, slots=True, order=True)
class _Span:
    """Who held a seat from a game's log entry on."""

    player: int | None
    game: int
    ply: int

    def begins_before(self, game: int, ply: int) -> bool:
        return (self.game, self.ply) <= (game, ply)


_Turns = Counter[tuple[int, int]]  # of a seat, and the number of its span


def _turns(games: Sequence[Game], spans: Mapping[int, Sequence[_Span]]) -> _Turns:
    """In how many turns each span's holder answered. What the clock, or a bot in a person's seat, answered
    is nobody's turn."""
    return _turns_of_changed(games, spans) if spans else _turns_of_unchanged(games)


def _turns_of_unchanged(games: Sequence[Game]) -> _Turns:
    own = LogEntry.objects.filter(game__in=games, via__in=OWN_WAYS, seat__isnull=False)
    counted = own.order_by().values_list("seat").annotate(turns=Count("pk"))
    return Counter({(seat, 0): turns for seat, turns in counted})


def _turns_of_changed(games: Sequence[Game], spans: Mapping[int, Sequence[_Span]]) -> _Turns:
    turns: _Turns = Counter()
    entries = LogEntry.objects.filter(game__in=games, seat__isnull=False)
    for game, ply, seat, via in entries.values_list("game__number", "ply", "seat", "via"):
        assert seat is not None
        held = spans[seat]
        at = sum([span.begins_before(game, ply) for span in held]) - 1
        if via in OWN_WAYS or (via == LogEntry.Via.BOT and held[at].player is None):
            turns[seat, at] += 1
    return turns


def _held(seat: int, spans: Sequence[_Span], turns: _Turns) -> tuple[Holder, ...]:
    return tuple([Holder(span.player, turns[seat, at]) for at, span in enumerate(spans)])
