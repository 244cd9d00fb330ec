"""Rounds of a division, with their tables and the players who sit out."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count
from django.utils.translation import pgettext

from accounts.models import User
from games.leagues.models import Bye, Division, LeagueTable, Registration, Round
from games.leagues.selectors.league_tables import TableView, table_views


@dataclass(frozen=True)
class RoundRow:
    """A round in its division's list."""

    round: Round
    tables: int
    over: int
    begun: int
    is_overtaken: bool = False  # a later round has begun: its tables wait for their players only

    @property
    def is_drawn(self) -> bool:
        return self.round.draw is not None

    @property
    def is_over(self) -> bool:
        return self.is_drawn and self.over == self.tables

    @property
    def state(self) -> str:
        if self.is_over:
            return pgettext("round", "Finished")
        if self.begun:
            return pgettext("round", "In progress")
        return (
            pgettext("round", "Waiting for players") if self.is_overtaken else pgettext("round", "Upcoming")
        )


def rounds_of(division: Division) -> list[RoundRow]:
    """Return all rounds of the division, with their numbers of tables and of finished tables."""
    rounds = division.rounds.annotate(
        in_all=Count("tables"), over=Count("tables__collected_at"), begun=Count("tables__table")
    )
    found = list(rounds.order_by("number"))
    last_begun = max([one.number for one in found if one.begun], default=0)
    return [
        RoundRow(one, one.in_all, one.over, one.begun, one.draw is not None and one.number < last_begun)
        for one in found
    ]


@dataclass(frozen=True)
class RoundPage:
    """A round with its tables and the players who sit out."""

    tables: tuple[TableView, ...]
    byes: tuple[Registration, ...]


def round_page(round: Round, reader: User | None) -> RoundPage:  # noqa: A002 - what it is called everywhere
    """Return a round's page in a fixed number of queries."""
    tables = table_views(LeagueTable.objects.filter(round=round), reader)
    byes = Bye.objects.filter(round=round).select_related("entry__user")
    return RoundPage(tuple(tables), tuple([bye.entry for bye in byes]))
