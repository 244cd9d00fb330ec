"""Results come in: what a table's finished games come to is stored beside it, once."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import QuerySet

from games.leagues.commands.each import for_each
from games.leagues.commands.locking import locked_season
from games.leagues.commands.looking import put_off
from games.leagues.models import LeagueTable, Round, Season
from games.leagues.reading import facts_json, facts_of_table
from games.models import Table


@transaction.atomic
def collect(row: LeagueTable, now: datetime) -> bool:
    """Stores a finished table's facts; False while it is played at, and where they are stored already."""
    season = locked_season(Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables=row.pk))
    row = LeagueTable.objects.select_related("round", "table").get(pk=row.pk)
    if row.collected_at is not None or row.table.state != Table.State.FINISHED:
        return False
    row.facts, row.collected_at = facts_json(facts_of_table(row)), now
    row.save(update_fields=["facts", "collected_at"])
    put_off(season)
    return True


def collect_finished(now: datetime) -> int:
    """Collects whatever is over; how many. A table whose log is broken stops no other."""
    return _collect_all(LeagueTable.objects.all(), now)


def collect_round(round_: Round, now: datetime) -> int:
    """The same for one round, whose tables may just have been adjudicated."""
    return _collect_all(round_.tables.all(), now)


def _collect_all(rows: QuerySet[LeagueTable], now: datetime) -> int:
    over = rows.filter(collected_at=None, table__state=Table.State.FINISHED)
    return for_each(over.order_by("pk"), collect, now)
