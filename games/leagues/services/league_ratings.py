"""Recompute the ratings of an edition from the stored results of its tables."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Max, QuerySet

from accounts.full_disk import raise_if_full
from accounts.row_locks import are_free
from games.leagues.models import LeagueTable, Rating
from games.leagues.scoring.ratings import RatedGame, RatedSeat, rate
from games.leagues.scoring.table_facts import TableEnding

logger = logging.getLogger(__name__)

PLAYED_OUT = (TableEnding.RULES, TableEnding.AGREEMENT, TableEnding.ADJUDICATED)
EDITION = "round__division__season__terms__options_json__edition"


def rate_new(now: datetime) -> int:
    """Recompute each edition that has results not yet rated; return the number of those. Part of the tick.

    An edition that cannot be rated does not stop the others. 5,000 tables take some three seconds,
    almost all of them in openskill.
    """
    found = _unrated().order_by().values_list(EDITION, flat=True).distinct()
    editions = sorted(map(str, found))  # SQLite reads the JSON text "2007" as a number
    return sum([_rated_or_logged(edition, now) for edition in editions])


def rate_again(tables: QuerySet[LeagueTable]) -> None:
    """Have the editions of these tables recomputed at the next tick.

    For services that change whether a table counts; part of their transaction.
    Waits for any rating in progress.
    """
    list(_locked_rows(tables))
    tables.update(rated_at=None)


def rated_games(edition: str) -> Iterator[RatedGame]:
    """Yield the rated games of an edition: played out, won, public and not awarded."""
    counted = LeagueTable.objects.filter(
        facts__isnull=False,
        awards=None,
        round__division__season__league__is_private=False,
        **{EDITION: edition},
    )
    ended = counted.order_by().annotate(ended=Max("table__games__ended_at"))
    for key, facts, at in ended.values_list("pk", "facts", "ended"):
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


def _rated_or_logged(edition: str, now: datetime) -> int:
    try:
        return _rate_edition(edition, now)
    except Exception as error:  # whatever is wrong with one edition
        raise_if_full(error)
        logger.exception("tables of edition %s could not be rated", edition)
        return 0


def _locked_rows(rows: QuerySet[LeagueTable]) -> QuerySet[LeagueTable]:
    """Lock the rows until the transaction ends, in one order.

    If two processes find the same tables, the second waits. It then no longer finds them unrated.
    """
    return rows.select_for_update(of=("self",)).order_by("pk")


@transaction.atomic
def _rate_edition(edition: str, now: datetime) -> int:
    unrated = _unrated().filter(**{EDITION: edition})
    if not are_free(unrated):
        return 0  # another process is rating them
    new = [row.pk for row in _locked_rows(unrated)]
    if new:
        _store(edition)
    return LeagueTable.objects.filter(pk__in=new).update(rated_at=now)


def _store(edition: str) -> None:
    """Replace the edition's stored ratings."""
    rows = [
        Rating(user_id=player, edition=edition, mu=value.mu, sigma=value.sigma, tables=value.games)
        for player, value in rate(rated_games(edition)).items()
    ]
    Rating.objects.filter(edition=edition).delete()
    Rating.objects.bulk_create(rows)
