"""Results of tables, and the rows of a season as values for scoring and seating."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import User
from games.leagues.models import Bye, Division, LeagueTable, Registration, Season
from games.leagues.scoring import Bye as ByeRule
from games.leagues.scoring import (
    ByeFacts,
    Holder,
    How,
    Scoring,
    ScoringRules,
    SeatFacts,
    Split,
    TableFacts,
    TieBreak,
    placement_at,
)
from games.leagues.seating import Seated
from games.leagues.standings import Standings, standings
from games.models import MAX_SEATS, MIN_SEATS, Game, LogEntry, SeatChange, TimeEvent
from games.models.matches import winners_of_match
from games.models.replay import replayed
from games.rules import POINTS_FOR_CONNECTED, EndReason, regions_scored
from games.services.game_endings import result_by_table
from games.services.scheduled_tables import winners_by_adjudication

_HOW = {
    "": How.RULES,
    Game.Ended.AGREEMENT: How.AGREEMENT,
    Game.Ended.ABANDONED: How.ABANDONED,
    Game.Ended.ADJUDICATED: How.ADJUDICATED,
}


class NotOver(Exception):
    """The table is still being played."""


@dataclass(frozen=True, slots=True)
class _Won:
    """What a table's games brought to each seat."""

    regions: tuple[int, ...]
    bonus: tuple[int, ...]
    winners: frozenset[int]
    how: How

    @property
    def places(self) -> tuple[int, ...]:
        """The place of each seat: winners first, then by score; equal seats share a place.

        If no one won, all share the first place.
        """
        if not self.winners:
            return (1,) * len(self.regions)
        scored = [
            (seat in self.winners, 0 if seat in self.winners else held + more)
            for seat, (held, more) in enumerate(zip(self.regions, self.bonus, strict=True))
        ]
        return tuple([1 + sum([other > own for other in scored]) for own in scored])


def facts_of_table(row: LeagueTable) -> TableFacts:
    """Compute the facts of a finished table from its games, ignoring stored facts and awards.

    Its number is the row's pk, as every round of a division has a table 1.
    Raises NotOver, and BrokenLog for a log that the rules refuse.
    """
    games = list(Game.objects.filter(table=row.table_id).select_related("table").order_by("number"))
    if not games or games[-1].table.state != games[-1].table.State.FINISHED:
        raise NotOver
    return _facts(row, games)


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
    won, seatings = _won(games), _seatings(row, games)
    seats = [
        SeatFacts(held, won.regions[seat], won.bonus[seat], seat in won.winners, won.places[seat], left)
        for seat, (held, left) in enumerate(seatings)
    ]
    return TableFacts(row.pk, row.round.number, tuple(seats), won.how)


# Winners and scores


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
    """Return how the table ended.

    A match that everyone left between two games was abandoned, though its last game was not.
    """
    last = games[-1]
    if last.table.is_match and not last.ended and winners_of_match(last.table, games) is None:
        return How.ABANDONED
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


# Holders of seats

_Step = tuple[int, int]  # game number, ply of a log entry
_START = (0, 0)


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer given for a seat."""

    at: _Step
    via: str
    is_secret: bool

    @property
    def is_own(self) -> bool:
        return self.via in LogEntry.OWN_TURNS


@dataclass(frozen=True, slots=True)
class _Span:
    """The holder of a seat from a log entry of a game on."""

    player: int | None
    since: _Step


def _seatings(row: LeagueTable, games: Sequence[Game]) -> list[tuple[tuple[Holder, ...], bool]]:
    """Return the holders of each seat, and whether its last holder had left it at the end."""
    spans = _spans(row, games)
    answers, returns = _answers(games), _returns(games)
    return [
        (
            _held(held, answers[seat]),
            _is_left(held[-1], answers[seat], returns[seat], row.game_table.most_misses),
        )
        for seat, held in spans.items()
    ]


def _spans(row: LeagueTable, games: Sequence[Game]) -> dict[int, list[_Span]]:
    seated = dict(row.assignments.values_list("position", "entry__user_id"))
    spans = {seat: [_Span(player, _START)] for seat, player in sorted(seated.items())}
    changes = SeatChange.objects.filter(game__in=games).order_by("game__number", "ply", "pk")
    for seat, player, game, ply in changes.values_list("seat", "after", "game__number", "ply"):
        spans[seat].append(_Span(player, (game, ply)))
    return spans


def _answers(games: Sequence[Game]) -> dict[int, list[_Answer]]:
    entries = LogEntry.objects.filter(game__in=games, seat__isnull=False).order_by()
    found = defaultdict[int, list[_Answer]](list)
    for seat, game, ply, via, move in entries.values_list("seat", "game__number", "ply", "via", "move"):
        found[seat or 0].append(_Answer((game, ply), via, move in LogEntry.SECRET_MOVES))
    return found


def _returns(games: Sequence[Game]) -> dict[int, list[_Step]]:
    back = TimeEvent.objects.filter(game__in=games, kind=TimeEvent.Kind.BACK, seat__isnull=False)
    found = defaultdict[int, list[_Step]](list)
    for seat, game, ply in back.order_by().values_list("seat", "game__number", "ply"):
        found[seat or 0].append((game, ply))
    return found


def _held(spans: Sequence[_Span], answers: Iterable[_Answer]) -> tuple[Holder, ...]:
    """Return the holders of a seat, each with the turns they answered and those they missed.

    Answers by a bot in a person's seat count for no one.
    """
    turns, missed = Counter[int](), Counter[int]()
    for answer in answers:
        at = sum([span.since <= answer.at for span in spans]) - 1
        if answer.is_own or (answer.via == LogEntry.Via.BOT and spans[at].player is None):
            turns[at] += 1
        missed[at] += answer.via == LogEntry.Via.CLOCK
    return tuple([Holder(span.player, turns[at], missed[at]) for at, span in enumerate(spans)])


def _is_left(last: _Span, answers: Sequence[_Answer], returns: Iterable[_Step], most_misses: int) -> bool:
    """Return whether, since a holder last arrived, came back or answered, others played for them.

    That is a bot, or the clock often enough for a bot to take over.
    """
    since = max(last.since, *returns, *[answer.at for answer in answers if answer.is_own], _START)
    others = [one for one in answers if one.at >= since and not one.is_own and not one.is_secret]
    missed = [one for one in others if one.via == LogEntry.Via.CLOCK]
    return len(missed) >= most_misses or len(missed) < len(others)


# Rows of a season as values of the pure modules, and the standings of its divisions.
#
# Players are user IDs. A person is in a season at most once; a substitute need not be in it at all.


_Row = TypeVar("_Row")


def scoring_rules_of(season: Season) -> ScoringRules:
    """Return the season's scoring rules. Lots are drawn from the seed published with the draw."""
    return ScoringRules(
        scoring=Scoring(season.scoring),
        placement=_placement(season),
        tie_breaks=tuple([TieBreak(one) for one in season.tie_breaks]),
        split=Split(season.split),
        bye=ByeRule(season.bye_points),
        lot_seed=bytes.fromhex(season.seed),
    )


def _placement(season: Season) -> dict[int, tuple[Fraction, ...]]:
    """Return the season's own points by place, for tables of every size."""
    points = [Fraction(point) for point in season.placement]
    if len(points) != season.size:
        return {}
    return {size: placement_at(size, points) for size in range(MIN_SEATS, MAX_SEATS + 1)}


# Stored facts


def facts_json(facts: TableFacts) -> dict[str, Any]:
    """Return what LeagueTable.facts holds: all but the table's number, its round and any award."""
    return {"how": facts.how.value, "seats": [_seat_json(seat) for seat in facts.seats]}


def _seat_json(seat: SeatFacts) -> dict[str, Any]:
    return {
        "holders": [[holder.player, holder.turns, holder.missed] for holder in seat.holders],
        "regions": seat.regions,
        "bonus": seat.bonus,
        "won": seat.won,
        "place": seat.place,
        "left": seat.left,
    }


def facts_of(row: LeagueTable) -> TableFacts:
    """Return the stored facts of a collected table, with the organiser's last award.

    Makes no query if the row's round and awards are loaded.
    """
    assert row.facts is not None
    seats = tuple([_seat_facts(seat) for seat in row.facts["seats"]])
    award = max(row.awards.all(), key=lambda award: award.pk, default=None)
    how = How(row.facts["how"])
    if award is None:
        return TableFacts(row.pk, row.round.number, seats, how)
    awarded = tuple([None if points is None else Fraction(points) for points in award.points])
    if None not in awarded:
        how = How.AWARDED
    return TableFacts(row.pk, row.round.number, seats, how, award.reason, awarded)


def _seat_facts(stored: Mapping[str, Any]) -> SeatFacts:
    return SeatFacts(
        tuple([Holder(*holder) for holder in stored["holders"]]),
        stored["regions"],
        stored["bonus"],
        stored["won"],
        stored["place"],
        stored["left"],
    )


# Standings


@dataclass(frozen=True, slots=True, eq=False)
class DivisionStandings:
    """A division's standings, and the rows from which they were computed.

    `entries` and `people` are keyed by user ID; `people` includes substitutes.
    `tables` are the collected ones, by pk.
    """

    standings: Standings
    entries: Mapping[int, Registration]
    people: dict[int, User]
    tables: Mapping[int, LeagueTable]
    facts: tuple[TableFacts, ...]
    byes: tuple[ByeFacts, ...]


def division_standings(division: Division) -> DivisionStandings:
    """Return the standings from all stored facts, in a fixed number of queries."""
    return standings_by_division([division])[0]


def standings_by_division(divisions: Sequence[Division]) -> tuple[DivisionStandings, ...]:
    """Return the standings of several divisions of a season in order, with no more queries than for one."""
    entries = _grouped(
        Registration.objects.filter(division__in=divisions).select_related("user").order_by("pk"),
        lambda entry: entry.division_id,
    )
    tables = _grouped(_collected(divisions), lambda row: row.round.division_id)
    byes = _grouped(_byes(divisions), lambda bye: bye.round.division_id)
    made = [
        _standing(division, entries[division.pk], tables[division.pk], byes[division.pk])
        for division in divisions
    ]
    _add_helpers(made)
    return tuple(made)


def _grouped(rows: Iterable[_Row], division: Callable[[_Row], int | None]) -> dict[int, list[_Row]]:
    groups: dict[int, list[_Row]] = defaultdict(list)
    for row in rows:
        groups[division(row) or 0].append(row)
    return groups


def _standing(
    division: Division, entries: Sequence[Registration], rows: Sequence[LeagueTable], byes: Sequence[Bye]
) -> DivisionStandings:
    """Return a division's standings; `people` has only its own players so far."""
    players = {entry.user_id: entry for entry in entries}
    facts = tuple([facts_of(row) for row in rows])
    sat_out = tuple([ByeFacts(bye.entry.user_id, bye.round.number) for bye in byes])
    out = [player for player, entry in players.items() if entry.is_out]
    computed = standings(list(players), facts, sat_out, scoring_rules_of(division.season), out)
    people = {player: entry.user for player, entry in players.items()}
    return DivisionStandings(computed, players, people, {row.pk: row for row in rows}, facts, sat_out)


def _collected(divisions: Sequence[Division]) -> QuerySet[LeagueTable]:
    rows = LeagueTable.objects.filter(round__division__in=divisions, facts__isnull=False)
    return (
        rows.select_related("round", "table").prefetch_related("awards").order_by("round__number", "number")
    )


def _byes(divisions: Sequence[Division]) -> QuerySet[Bye]:
    """Return the byes of rounds whose tables are all over: before that, a bye does not count."""
    open_tables = LeagueTable.objects.filter(round=OuterRef("round"), collected_at=None)
    rows = Bye.objects.filter(~Exists(open_tables), round__division__in=divisions)
    return rows.select_related("round", "entry").order_by("round__number", "pk")


def _add_helpers(made: Iterable[DivisionStandings]) -> None:
    """Add people who held a seat in a division they are not in."""
    missing = {one: _helpers_of(one.facts, one.entries) for one in made}
    known = User.objects.in_bulk({player for players in missing.values() for player in players})
    for one, players in missing.items():
        one.people.update({player: known[player] for player in sorted(players) if player in known})


def _helpers_of(facts: Iterable[TableFacts], entries: Mapping[int, Registration]) -> set[int]:
    held = {holder.player for table in facts for seat in table.seats for holder in seat.holders}
    return {player for player in held if player is not None and player not in entries}


# Earlier rounds, for pairing the next one


def seated_rounds(division: Division) -> dict[int, Seated]:
    """Return the drawn rounds, by number, each as it was drawn."""
    draws = division.rounds.values_list("number", "draw")
    return {
        number: Seated(tuple([tuple(table) for table in draw["tables"]]), tuple(draw["byes"]))
        for number, draw in draws
        if draw is not None
    }
