"""Ratings follow what has been collected: table after table in the order in which they ended, each edition by
itself. Recomputed wholly they are the same; so that is done where something of before has become other.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Q, QuerySet

from games.leagues.commands.rated_games import EDITION, edition_of, rated_games, with_all
from games.leagues.models import LeagueTable, Rating, RatingChange, Season
from games.leagues.ratings import Change, Rated, RatedGame, Ratings, rate
from games.leagues.ratings import Rating as Value

logger = logging.getLogger(__name__)

_COLUMNS = ("mu", "sigma", "tables")


def rate_new(now: datetime) -> int:
    """The tick: takes every collected table into account that was not yet; how many. An edition that cannot
    be rated stops no other."""
    editions = sorted({edition_of(row) for row in with_all(_unrated())})
    return sum([_rated_or_logged(edition, now) for edition in editions])


def rate_anew(tables: QuerySet[LeagueTable]) -> None:
    """From the next beat on these tables are rated, or no more, as they are then. For commands that change
    whether a table counts; part of their transaction. Who rates just now is waited for."""
    list(_held(tables))
    tables.update(rated_at=None)


@transaction.atomic
def rate_all(now: datetime) -> list[str]:
    """Computes all ratings from the stored facts anew; says in sentences what they changed."""
    collected = LeagueTable.objects.filter(collected_at__isnull=False)
    list(_held(collected))
    found = differences()
    for edition in _editions():
        _store(edition, _computed(edition, collected))
    collected.filter(rated_at=None).update(rated_at=now)
    return found


def differences() -> list[str]:
    """Where stored ratings are not what the tables that they have counted come to. Only looks."""
    rated = LeagueTable.objects.filter(rated_at__isnull=False)
    return [told for edition in _editions() for told in _differences(edition, _computed(edition, rated))]


# The tick


def _unrated() -> QuerySet[LeagueTable]:
    return LeagueTable.objects.filter(collected_at__isnull=False, rated_at=None)


def _rated_or_logged(edition: str, now: datetime) -> int:
    try:
        return _rate_edition(edition, now)
    except Exception:  # any one edition
        logger.exception("tables of edition %s could not be rated", edition)
        return 0


def _held(rows: QuerySet[LeagueTable]) -> QuerySet[LeagueTable]:
    """Locked until the transaction ends. Of two who rate the second waits for the first one's tables, which
    both have found; then they are none of his any more."""
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
    """Whether a table had been rated before, or ended before one that was."""
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
    """Those of the people of these games, as they are stored."""
    people = {seat.player for game in games for seat in game.seats}
    found = Rating.objects.filter(edition=edition, user__in=people)
    return {(row.user_id, edition): Value(row.mu, row.sigma, row.tables) for row in found}


# Computed anew, and what is stored


def _editions() -> list[str]:
    """Of which there are collected tables, or ratings."""
    collected = LeagueTable.objects.filter(collected_at__isnull=False).order_by()
    seasons = collected.values_list("round__division__season", flat=True).distinct()
    terms = Season.objects.filter(pk__in=seasons).values_list("terms", flat=True)
    played = [one["options_json"]["edition"] for one in terms]
    rated = Rating.objects.order_by().values_list("edition", flat=True).distinct()
    return sorted({*played, *rated})


def _computed(edition: str, tables: QuerySet[LeagueTable]) -> Rated:
    return rate(rated_games(with_all(tables.filter(**{EDITION: edition}))))


def _store(edition: str, rated: Rated) -> None:
    """These ratings and no others."""
    Rating.objects.filter(edition=edition).delete()
    _add(rated)


def _add(rated: Rated) -> None:
    """What the changes of a trail came to, and each of them."""
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
