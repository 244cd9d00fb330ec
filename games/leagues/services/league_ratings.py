"""Ratings of each edition, from the stored results of league tables and of other rated tables.

A result that is later than all rated ones is added to them. If anything earlier changed, the whole edition is
computed again.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from accounts.full_disk import raise_if_full
from accounts.row_locks import are_free
from games.leagues.models import LeagueTable, RatedTable, Rating, RatingChange
from games.leagues.scoring.ratings import ComputedRating, RatedGame, RatedSeat, changes
from games.leagues.scoring.table_facts import TableEnding

logger = logging.getLogger(__name__)

PLAYED_OUT = (TableEnding.RULES, TableEnding.AGREEMENT, TableEnding.ADJUDICATED)
EDITION = "round__division__season__terms__options_json__edition"


def rate_new(now: datetime) -> int:
    """Rate each edition that has results not yet rated; return the number of those. Part of the tick.

    An edition that cannot be rated does not stop the others. To compute one again, 5,000 tables take some
    three seconds, almost all of them in openskill.
    """
    in_leagues = _unrated().order_by().values_list(EDITION, flat=True).distinct()
    outside = _unrated_outside().order_by().values_list("edition", flat=True).distinct()
    # SQLite reads the JSON text "2007" as a number
    editions = sorted({*map(str, in_leagues), *outside})
    return sum([_rated_or_logged(edition, now) for edition in editions])


def rate_again(tables: QuerySet[LeagueTable]) -> None:
    """Have the editions of these tables recomputed at the next tick.

    For services that change whether a table counts; part of their transaction.
    Waits for any rating in progress.
    """
    list(_locked_rows(tables))
    tables.update(rated_at=None)


def rated_games(edition: str, tables: Collection[int] | None = None) -> Iterator[RatedGame]:
    """Yield the rated games of an edition, or only those of these tables: played out, and won.

    League tables count if their league is public and no points were awarded.
    """
    counted = LeagueTable.objects.filter(
        facts__isnull=False,
        awards=None,
        round__division__season__league__is_private=False,
        **{EDITION: edition},
    )
    outside = RatedTable.objects.filter(edition=edition, facts__isnull=False)
    if tables is not None:
        counted, outside = counted.filter(table__in=tables), outside.filter(table__in=tables)
    ended = counted.order_by().annotate(ended=Max("table__games__ended_at"))
    yield from _played_out(ended.values_list("table", "facts", "ended"))
    yield from _played_out(outside.order_by().values_list("table", "facts", "ended_at"))


def _played_out(rows: Iterable[tuple[Any, Any, Any]]) -> Iterator[RatedGame]:
    for key, facts, at in rows:
        if facts and facts["how"] in PLAYED_OUT and any(seat["won"] for seat in facts["seats"]):
            yield RatedGame(key, at.timestamp(), _seats(facts))


def _seats(facts: Mapping[str, Any]) -> tuple[RatedSeat, ...]:
    """Return one rated seat for each player, the one they held first."""
    seats: dict[int, RatedSeat] = {}
    for seat in [one for stored in facts["seats"] for one in _holders(stored)]:
        seats.setdefault(seat.player, seat)
    return tuple(seats.values())


def _holders(seat: Mapping[str, Any]) -> Iterator[RatedSeat]:
    """Yield each player who held a seat; the first was assigned to it, later ones are substitutes."""
    last = len(seat["holders"]) - 1
    for number, (player, *_turns) in enumerate(seat["holders"]):
        if player is not None:
            stayed = number == last and not seat["left"]
            yield RatedSeat(player, seat["place"], stayed, helped=number > 0)


def _unrated() -> QuerySet[LeagueTable]:
    return LeagueTable.objects.filter(collected_at__isnull=False, rated_at=None)


def _unrated_outside() -> QuerySet[RatedTable]:
    return RatedTable.objects.filter(facts__isnull=False, rated_at=None)


def _rated_or_logged(edition: str, now: datetime) -> int:
    try:
        return _rate_edition(edition, now)
    except Exception as error:  # whatever is wrong with one edition
        raise_if_full(error)
        logger.exception("tables of edition %s could not be rated", edition)
        return 0


def _locked_rows(rows: QuerySet[Any]) -> QuerySet[Any]:
    """Lock the rows until the transaction ends, in one order.

    If two processes find the same tables, the second waits. It then no longer finds them unrated.
    """
    return rows.select_for_update(of=("self",)).order_by("pk")


@transaction.atomic
def _rate_edition(edition: str, now: datetime) -> int:
    unrated: tuple[QuerySet[Any], ...] = (
        _unrated().filter(**{EDITION: edition}),
        _unrated_outside().filter(edition=edition),
    )
    if not all(are_free(rows) for rows in unrated):
        return 0  # another process is rating them
    new = [list(_locked_rows(rows)) for rows in unrated]
    if any(new):
        _store(edition, [row.table_id for rows in new for row in rows])
    return sum(
        [
            rows.model._default_manager.filter(pk__in=[row.pk for row in found]).update(rated_at=now)
            for rows, found in zip(unrated, new, strict=True)
        ]
    )


def _store(edition: str, new: Collection[int]) -> None:
    """Store the edition's ratings and how they came about, once these tables have results not yet rated."""
    games, known = list(rated_games(edition, new)), _known(edition)
    if not _come_after_all(games, new, edition):
        games, known = list(rated_games(edition)), {}
        Rating.objects.filter(edition=edition).delete()
        RatingChange.objects.filter(edition=edition).delete()
    rows, rated = list[RatingChange](), dict[int, ComputedRating]()
    for game, changed in changes(games, known):
        at, rated = datetime.fromtimestamp(game.at, UTC), rated | changed
        rows += [
            RatingChange(
                user_id=player, edition=edition, table_id=game.key, at=at, mu=value.mu, sigma=value.sigma
            )
            for player, value in changed.items()
        ]
    RatingChange.objects.bulk_create(rows)
    Rating.objects.filter(edition=edition, user__in=rated).delete()
    Rating.objects.bulk_create(
        [
            Rating(user_id=player, edition=edition, mu=value.mu, sigma=value.sigma, tables=value.games)
            for player, value in rated.items()
        ]
    )


def _known(edition: str) -> dict[int, ComputedRating]:
    """Return the edition's stored ratings."""
    columns = Rating.objects.filter(edition=edition).values_list("user", "mu", "sigma", "tables")
    return {user: ComputedRating(mu, sigma, tables) for user, mu, sigma, tables in columns}


def _come_after_all(games: Iterable[RatedGame], new: Collection[int], edition: str) -> bool:
    """Return whether these new games ended after all rated ones, and none of the tables was rated before."""
    rated = RatingChange.objects.filter(edition=edition)
    last = rated.order_by("-at", "-table").values_list("at", "table").first()
    if last is None or rated.filter(table__in=new).exists():
        return False
    at, table = last
    return all((game.at, game.key) > (at.timestamp(), table) for game in games)
