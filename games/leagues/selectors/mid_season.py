"""What standings say in mid-season: tables left, points per table, and what is secured or out of reach.

All of it follows from finished tables, and from who is drawn at the others. At a running anonymous table the
draw says who plays, never in which seat.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from django.db.models import Count, Exists, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.leagues.models import Bye, Division, Registration, Season, SeatAssignment
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.scoring.possible_places import PlaceRange, ToCome, possible_places
from games.leagues.scoring.promotion import most_movable, moving_between
from games.leagues.selectors.standings_page import StandingsLine, StandingsPage
from games.models import MAX_SEATS, MIN_SEATS
from games.rules import POINTS_FOR_CONNECTED, REGIONS, Options

Has = Registration.State
AVERAGE = "average"  # the order by points per table, in a page's address


class SeasonChance(StrEnum):
    """A place that a player has for certain, or can no longer reach."""

    FIRST_SECURED = "first secured"
    FIRST_OUT = "first out of reach"
    PROMOTION_SECURED = "promotion secured"
    PROMOTION_OUT = "promotion out of reach"
    SAFE = "safe from relegation"
    RELEGATED = "relegation certain"

    @property
    def text(self) -> str:
        return {
            SeasonChance.FIRST_SECURED: _("First place secured"),
            SeasonChance.FIRST_OUT: _("First place out of reach"),
            SeasonChance.PROMOTION_SECURED: _("Promotion secured"),
            SeasonChance.PROMOTION_OUT: _("Promotion out of reach"),
            SeasonChance.SAFE: _("Safe from relegation"),
            SeasonChance.RELEGATED: _("Relegation certain"),
        }[self]

    @property
    def is_out(self) -> bool:
        """Return whether a place is out of reach; no page says so once all tables are over."""
        return self in (SeasonChance.FIRST_OUT, SeasonChance.PROMOTION_OUT)

    @property
    def is_good(self) -> bool:
        return self in (SeasonChance.FIRST_SECURED, SeasonChance.PROMOTION_SECURED, SeasonChance.SAFE)


@dataclass(frozen=True)
class MidSeasonRow:
    """A player's row in the standings of a season that may still be running."""

    line: StandingsLine
    left: int  # tables left
    chances: tuple[SeasonChance, ...]


@dataclass(frozen=True, slots=True)
class DivisionMoves:
    """How many players move up from a division at the end of the season, and how many down."""

    up: int
    down: int
    is_sure: bool = True  # no holiday that keeps players from all tables can change it


@dataclass(frozen=True)
class MidSeason:
    """A division's rows in the order that the reader chose."""

    rows: tuple[MidSeasonRow, ...]
    moves: DivisionMoves
    is_running: bool
    is_by_average: bool

    @property
    def has_chances(self) -> bool:
        return any(row.chances for row in self.rows)


def mid_season(page: StandingsPage, order: str = "") -> MidSeason:
    """Return a division's rows by points, or by points per table until the season is over."""
    season = page.division.season
    if season.state != Season.State.RUNNING:
        return MidSeason(
            tuple([MidSeasonRow(line, 0, ()) for line in page.lines]), DivisionMoves(0, 0), False, False
        )
    ahead = _look_ahead(page.division)
    to_come = _to_come(page, ahead)
    moves = moves_of(page)
    places = possible_places(page.found.standings, page.found.facts, to_come, scoring_rules_of(season))
    lines = sorted(page.lines, key=_by_average) if order == AVERAGE else page.lines
    rows = [
        MidSeasonRow(
            line,
            _tables_left(page, ahead, line.row.player),
            tuple(
                [one for one in _chances_of(line, page, places, moves) if not (one.is_out and ahead.is_over)]
            ),
        )
        for line in lines
    ]
    return MidSeason(tuple(rows), moves, True, order == AVERAGE)


def _by_average(line: StandingsLine) -> tuple[bool, Fraction, int]:
    return line.row.is_out, -line.row.average, line.row.place


def _chances_of(
    line: StandingsLine, page: StandingsPage, places: Mapping[int, PlaceRange], moves: DivisionMoves
) -> tuple[SeasonChance, ...]:
    place = places.get(line.row.player)
    has_played = bool(line.row.played)
    return tuple(_chances(place, page, moves, has_played)) if place and page.has_results else ()


def _chances(
    place: PlaceRange, page: StandingsPage, moves: DivisionMoves, has_played: bool
) -> Iterator[SeasonChance]:
    """Yield the best that is secured, what is out of reach, and whether the player stays in the division."""
    stays_to = len(page.lines) - moves.down  # the last place that is not relegated
    # Holidays may keep players from every table: others are then relegated in their place.
    may_be_spared = sum([not line.row.played and not line.row.is_out for line in page.lines])
    if place.worst == 1:
        yield SeasonChance.FIRST_SECURED
    if place.worst <= moves.up and moves.is_sure:
        yield SeasonChance.PROMOTION_SECURED
    if moves.up and place.best > moves.up + may_be_spared:
        yield SeasonChance.PROMOTION_OUT
    elif place.best > 1:
        yield SeasonChance.FIRST_OUT
    if place.best > stays_to and moves.is_sure and has_played:
        yield SeasonChance.RELEGATED
    elif moves.down and 1 < place.worst <= stays_to - may_be_spared:
        yield SeasonChance.SAFE


def moves_of(page: StandingsPage) -> DivisionMoves:
    """Return how many move up and down from a division, in one query if anyone moves in this season."""
    season, level = page.division.season, page.division.level
    if season.most_divisions == 1 or not (season.promoted or season.promoted_share):
        return DivisionMoves(0, 0)
    results = SeatAssignment.objects.filter(entry=OuterRef("pk"), table__facts__isnull=False)
    counted = Registration.objects.filter(division__season=season).annotate(has_played=Exists(results))
    is_movable = Q(has_played=True) | ~Q(state=Has.PLAYING)
    by_level = counted.order_by().values_list("division__level")
    sizes = list(by_level.annotate(size=Count("pk"), sure=Count("pk", filter=is_movable)))
    moving = moving_between([size for _level, size, _sure in sizes], season.promoted, season.promoted_share)
    is_sure = most_movable([sure for _level, _size, sure in sizes], moving) == moving
    lowest = max([one for one, _size, _sure in sizes], default=level)
    return DivisionMoves(moving if level > 1 else 0, moving if level < lowest else 0, is_sure)


def moving_rules(moves: DivisionMoves) -> list[str]:
    """Return who is promoted and relegated from a division at the end of the season."""
    up = ngettext(
        "At the end of the season, %(n)d player from the top of this division is promoted.",
        "At the end of the season, %(n)d players from the top of this division are promoted.",
        moves.up,
    )
    down = ngettext(
        "At the end of the season, %(n)d player from the bottom of this division is relegated.",
        "At the end of the season, %(n)d players from the bottom of this division are relegated.",
        moves.down,
    )
    return [text % {"n": moving} for text, moving in ((up, moves.up), (down, moves.down)) if moving]


@dataclass(frozen=True)
class _Ahead:
    """A division's rounds and tables that are not over, as stored."""

    numbers: Sequence[int]  # of all rounds
    undrawn: Sequence[int]  # of the rounds that are not drawn
    begun: Sequence[Collection[int]]  # the players of each running table
    tables: Counter[int]  # each player's tables that are drawn and not over
    byes: Counter[int]  # each player's, counted or not

    @property
    def is_over(self) -> bool:
        return not self.undrawn and not self.tables


def _look_ahead(division: Division) -> _Ahead:
    """Return what is not over in a division, in three queries."""
    rounds = list(
        division.rounds.filter(is_final=False)
        .annotate(is_undrawn=Q(draw__isnull=True))
        .values_list("number", "is_undrawn")
    )
    rows = SeatAssignment.objects.filter(
        table__round__division=division, table__round__is_final=False, table__collected_at=None
    )
    seated = rows.order_by().values_list("table_id", "table__table_id", "entry__user_id")
    begun, tables = defaultdict[int, set[int]](set), Counter[int]()
    for table, begun_as, player in seated:
        tables[player] += 1
        if begun_as is not None:
            begun[table].add(player)
    byes = Bye.objects.filter(round__division=division).values_list("entry__user_id", flat=True)
    return _Ahead(
        [number for number, _is_undrawn in rounds],
        [number for number, is_undrawn in rounds if is_undrawn],
        list(begun.values()),
        tables,
        Counter(byes),
    )


def _to_come(page: StandingsPage, ahead: _Ahead) -> ToCome:
    """Return what may still count: also a round that someone missed, as they may get a table for it."""
    rounds = {}
    for row in page.found.standings.rows if page.found.missed or not ahead.is_over else ():
        since = page.found.entries[row.player].from_round
        own = len([number for number in ahead.numbers if number >= since])
        if not row.is_out:
            rounds[row.player] = max(own - row.played - ahead.byes[row.player], 0)
    return ToCome(rounds, ahead.byes, ahead.begun, _most_regions(page.division.season))


def _tables_left(page: StandingsPage, ahead: _Ahead, player: int) -> int:
    """Return how many tables a player still has, drawn or not, if no one leaves."""
    entry = page.found.entries[player]
    if entry.is_out:
        return 0
    later = [number for number in ahead.undrawn if number >= entry.from_round and number not in entry.skipped]
    return ahead.tables[player] + len(later)


def _most_regions(season: Season) -> Fraction | None:
    """Return the most points that a seat can score by regions at one table; None for a match."""
    if season.terms.get("target") is not None:
        return None
    options = Options(**season.terms["options_json"])
    totals = [options.goals(size).total for size in range(MIN_SEATS, MAX_SEATS + 1)]
    return Fraction(POINTS_FOR_CONNECTED + max([len(REGIONS) if most is None else most for most in totals]))
