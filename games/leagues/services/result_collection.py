"""Collect the results of finished tables."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from games.leagues.models import LeagueTable
from games.leagues.results.stored_facts import facts_json
from games.leagues.results.table_results import facts_of_table
from games.leagues.services.audit_log import notify
from games.leagues.services.each_row import run_for_all
from games.leagues.services.league_news import tell_table_over
from games.leagues.services.locks import locked_table
from games.leagues.services.schedule import reschedule
from games.models import Table


@transaction.atomic
def collect(row: LeagueTable, now: datetime) -> bool:
    """Store a finished table's facts and email its players the result.

    Return False if it is still being played or already collected.
    """
    row, season = locked_table(row)
    if row.collected_at is not None or row.table is None or row.table.state != Table.State.FINISHED:
        return False
    row.facts, row.collected_at = facts_json(facts_of_table(row)), now
    row.save(update_fields=["facts", "collected_at"])
    tell_table_over(row, season)
    for entry in [at.entry for at in row.assignments.select_related("entry__user")]:
        if not entry.is_out:
            key, context = f"league_result:{row.pk}:{entry.pk}", {"table": row.pk, "entry": entry.pk}
            notify("league_result", to=entry.user, key=key, context=context)
    reschedule(season)
    return True


def collect_finished(now: datetime) -> int:
    """Collect every finished table; return how many. A table with a broken log does not stop the others."""
    over = LeagueTable.objects.running().filter(table__state=Table.State.FINISHED)
    return run_for_all(over.order_by("pk"), collect, now)
