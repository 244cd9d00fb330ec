"""Keep ratings in step with collected tables, separately for each edition."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Max, Q, QuerySet

from games.leagues.models import LeagueTable, Rating, RatingChange, Season
from games.leagues.ratings import Change, Rated, RatedGame, RatedSeat, Ratings, rate
from games.leagues.ratings import Rating as Value
from games.leagues.results import facts_of
from games.leagues.scoring import How, SeatFacts
from games.models import Game, LogEntry, SeatChange, TimeEvent
from games.services.moves import OWN_WAYS, SECRET_ANSWERS

PLAYED_OUT = (How.RULES, How.AGREEMENT, How.ADJUDICATED)
EDITION = "round__division__season__terms__options_json__edition"
_AT_ONCE = 200  # tables read together

_Seat = tuple[int, int]  # table ID (of games), seat number
_Step = tuple[int, int]  # game number, ply of a log entry
_START = (0, 0)


def with_all(rows: QuerySet[LeagueTable]) -> QuerySet[LeagueTable]:
    """Fetch with each table what `rated_games` needs."""
    return rows.select_related("table", "round__division__season__league").prefetch_related("awards")


def edition_of(row: LeagueTable) -> str:
    return str(row.round.division.season.terms["options_json"]["edition"])


def counts(row: LeagueTable) -> bool:
    """Return whether this table is rated."""
    season = row.round.division.season
    if row.facts is None or not season.is_rated or season.league.is_private or row.awards.all():
        return False
    facts = facts_of(row)
    return facts.how in PLAYED_OUT and any(seat.won for seat in facts.seats)


def rated_games(rows: Iterable[LeagueTable]) -> Iterator[RatedGame]:
    """Yield the rated games of those tables in the order given; queries grow with every 200 tables."""
    counted = [row for row in rows if counts(row)]
    for first in range(0, len(counted), _AT_ONCE):
        some = counted[first : first + _AT_ONCE]
        tails = _tails([row.table_id for row in some])
        ended = _ended_at([row.table_id for row in some])
        for row in some:
            yield _game(row, ended[row.table_id], tails)


def _game(row: LeagueTable, ended: datetime, tails: Mapping[_Seat, _Tail]) -> RatedGame:
    seats: dict[int, RatedSeat] = {}
    for number, facts in enumerate(facts_of(row).seats):
        was_left = tails[row.table_id, number].is_played_for(row.table.most_misses)
        for seat in _seats(facts, was_left=was_left):
            seats.setdefault(seat.player or 0, seat)
    return RatedGame(row.pk, edition_of(row), ended.timestamp(), tuple(seats.values()))


def _seats(facts: SeatFacts, *, was_left: bool) -> Iterator[RatedSeat]:
    """Yield one rated seat for each holder; the first was assigned to it, later ones are substitutes."""
    last = len(facts.holders) - 1
    for number, holder in enumerate(facts.holders):
        if holder.player is not None:
            stayed = number == last and not was_left
            yield RatedSeat(holder.player, facts.place, stayed, helped=number > 0)


def _ended_at(tables: list[int]) -> dict[int, datetime]:
    ended = Game.objects.filter(table__in=tables).order_by().values_list("table")
    return dict(ended.annotate(at=Max("ended_at")))


# How a seat was played at the end


@dataclass
class _Tail:
    """The answers given for a seat since its last holder arrived, came back or last answered themselves."""

    since: _Step = _START
    by_clock: list[_Step] = field(default_factory=list)
    by_bot: list[_Step] = field(default_factory=list)

    def is_played_for(self, most_misses: int) -> bool:
        """Return whether a bot answered since then, or the clock often enough for a bot to take over."""
        missed = sum([step >= self.since for step in self.by_clock])
        return missed >= most_misses or any(step >= self.since for step in self.by_bot)


def _tails(tables: list[int]) -> Mapping[_Seat, _Tail]:
    tails: defaultdict[_Seat, _Tail] = defaultdict(_Tail)
    for table, seat, game, ply in [*_own_answers(tables), *_arrivals(tables)]:
        tail = tails[table, seat]
        tail.since = max(tail.since, (game, ply))
    entries = LogEntry.objects.filter(game__table__in=tables, seat__isnull=False)
    others = entries.exclude(via__in=OWN_WAYS).exclude(move__in=SECRET_ANSWERS).order_by()
    columns = ("game__table", "seat", "game__number", "ply", "via")
    for table, seat, game, ply, via in others.values_list(*columns):
        tail = tails[table, seat or 0]
        (tail.by_clock if via == LogEntry.Via.CLOCK else tail.by_bot).append((game, ply))
    return tails


def _own_answers(tables: list[int]) -> Iterable[tuple[int, int, int, int]]:
    """Return the last own answer of each seat in each game."""
    own = LogEntry.objects.filter(game__table__in=tables, via__in=OWN_WAYS, seat__isnull=False)
    grouped = own.order_by().values_list("game__table", "seat", "game__number")
    return grouped.annotate(last=Max("ply"))


def _arrivals(tables: list[int]) -> Iterator[tuple[int, int, int, int]]:
    """Yield when players came back, and when players took over a seat."""
    columns = ("game__table", "seat", "game__number", "ply")
    back = TimeEvent.objects.filter(game__table__in=tables, kind=TimeEvent.Kind.BACK, seat__isnull=False)
    yield from back.order_by().values_list(*columns)
    came = SeatChange.objects.filter(game__table__in=tables)
    yield from came.order_by().values_list(*columns)


# Ratings follow the collected tables in the order in which those ended, separately for each edition. A full
# recomputation gives the same result, so it is done whenever earlier results have changed.


logger = logging.getLogger(__name__)

_COLUMNS = ("mu", "sigma", "tables")


def rate_new(now: datetime) -> int:
    """Rate every collected table that is not yet rated; return how many. Part of the tick.

    An edition that cannot be rated does not stop the others.
    """
    editions = sorted({edition_of(row) for row in with_all(_unrated())})
    return sum([_rated_or_logged(edition, now) for edition in editions])


def rate_anew(tables: QuerySet[LeagueTable]) -> None:
    """Mark these tables to be rated again at the next tick, or no longer rated if they do not count then.

    For services that change whether a table counts; part of their transaction.
    Waits for any rating in progress.
    """
    list(_held(tables))
    tables.update(rated_at=None)


@transaction.atomic
def rate_all(now: datetime) -> list[str]:
    """Recompute all ratings from the stored facts; return sentences saying what changed."""
    collected = LeagueTable.objects.filter(collected_at__isnull=False)
    list(_held(collected))
    found = differences()
    for edition in _editions():
        _store(edition, _computed(edition, collected))
    collected.filter(rated_at=None).update(rated_at=now)
    return found


def differences() -> list[str]:
    """Return where stored ratings differ from what the counted tables give. Changes nothing."""
    rated = LeagueTable.objects.filter(rated_at__isnull=False)
    return [told for edition in _editions() for told in _differences(edition, _computed(edition, rated))]


# The tick


def _unrated() -> QuerySet[LeagueTable]:
    return LeagueTable.objects.filter(collected_at__isnull=False, rated_at=None)


def _rated_or_logged(edition: str, now: datetime) -> int:
    try:
        return _rate_edition(edition, now)
    except Exception:  # whatever is wrong with one edition
        logger.exception("tables of edition %s could not be rated", edition)
        return 0


def _held(rows: QuerySet[LeagueTable]) -> QuerySet[LeagueTable]:
    """Lock the rows until the transaction ends.

    If two processes find the same tables, the second waits. It then no longer finds them unrated.
    """
    return rows.select_for_update(of=("self",)).order_by("pk")


@transaction.atomic
def _rate_edition(edition: str, now: datetime) -> int:
    held = [row.pk for row in _held(_unrated().filter(**{EDITION: edition}))]
    new = LeagueTable.objects.filter(pk__in=held)
    games = sorted(rated_games(with_all(new)), key=lambda game: (game.at, game.key))
    if _changes_what_was(edition, new, games):
        known = LeagueTable.objects.filter(Q(pk__in=held) | Q(rated_at__isnull=False))
        _store(edition, _computed(edition, known))
    else:
        _add(rate(games, _ratings_of(edition, games)))
    new.update(rated_at=now)
    return len(held)


def _changes_what_was(edition: str, new: QuerySet[LeagueTable], games: list[RatedGame]) -> bool:
    """Return whether a table was rated before, or ended before one that was."""
    if RatingChange.objects.filter(table__in=new).exists():
        return True
    if not games:
        return False
    first = games[0]
    at = datetime.fromtimestamp(first.at, tz=UTC)
    later = Q(table__table__games__ended_at__gt=at)
    same = Q(table__table__games__ended_at=at, table__gt=first.key)
    return RatingChange.objects.filter(later | same, rating__edition=edition).exists()


def _ratings_of(edition: str, games: Iterable[RatedGame]) -> Ratings:
    """Return the stored ratings of the players of these games."""
    people = {seat.player for game in games for seat in game.seats}
    found = Rating.objects.filter(edition=edition, user__in=people)
    return {(row.user_id, edition): Value(row.mu, row.sigma, row.tables) for row in found}


# Recomputed and stored ratings


def _editions() -> list[str]:
    """Return the editions that have collected tables or ratings."""
    collected = LeagueTable.objects.filter(collected_at__isnull=False).order_by()
    seasons = collected.values_list("round__division__season", flat=True).distinct()
    terms = Season.objects.filter(pk__in=seasons).values_list("terms", flat=True)
    played = [one["options_json"]["edition"] for one in terms]
    rated = Rating.objects.order_by().values_list("edition", flat=True).distinct()
    return sorted({*played, *rated})


def _computed(edition: str, tables: QuerySet[LeagueTable]) -> Rated:
    return rate(rated_games(with_all(tables.filter(**{EDITION: edition}))))


def _store(edition: str, rated: Rated) -> None:
    """Replace the edition's stored ratings with these."""
    Rating.objects.filter(edition=edition).delete()
    _add(rated)


def _add(rated: Rated) -> None:
    """Store the final ratings of a trail and each change in it."""
    last = {(change.player, change.edition): change.after for change in rated.trail}
    rows = [
        Rating(user_id=player, edition=edition, mu=value.mu, sigma=value.sigma, tables=value.games)
        for (player, edition), value in last.items()
    ]
    Rating.objects.bulk_create(
        rows, update_conflicts=True, update_fields=_COLUMNS, unique_fields=("user", "edition")
    )
    players = {player for player, _edition in last}
    found = Rating.objects.filter(user__in=players).values_list("user", "edition", "pk")
    ratings = {(user, edition): pk for user, edition, pk in found}
    RatingChange.objects.bulk_create([_row(ratings, change) for change in rated.trail])


def _row(ratings: Mapping[tuple[int, str], int], change: Change) -> RatingChange:
    rating = ratings[change.player, change.edition]
    return RatingChange(rating_id=rating, table_id=change.game, mu=change.after.mu, sigma=change.after.sigma)


def _differences(edition: str, computed: Rated) -> Iterator[str]:
    rows = Rating.objects.filter(edition=edition)
    stored = {row.user_id: Value(row.mu, row.sigma, row.tables) for row in rows}
    anew = {player: value for (player, _edition), value in computed.ratings.items()}
    for player in sorted(stored.keys() | anew.keys()):
        if stored.get(player) != anew.get(player):
            told = f"{_told(stored.get(player))}, the games say {_told(anew.get(player))}"
            yield f"{edition}: the rating of person {player} is {told}"
    changes = RatingChange.objects.filter(rating__edition=edition).order_by()
    steps = set(changes.values_list("table", "rating__user", "mu", "sigma"))
    computed_steps = {(one.game, one.player, one.after.mu, one.after.sigma) for one in computed.trail}
    for table, player in sorted({step[:2] for step in steps ^ computed_steps}):
        yield f"{edition}: what table {table} did to the rating of person {player} is not what its games say"


def _told(rating: Value | None) -> str:
    return f"{rating.mu:.4f} ± {rating.sigma:.4f} after {rating.games}" if rating else "none"
