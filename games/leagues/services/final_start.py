"""Begin the final of a season."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Max

from games.leagues.models import AuditEvent, LeagueTable, Round, Season
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.finals import next_final
from games.leagues.services.locks import locked_season_of_players
from games.leagues.services.schedule import is_played, reschedule
from games.leagues.services.table_starts import begin_table


@transaction.atomic
def start_final(season: Season, now: datetime) -> bool:
    """Begin the final once all other tables are over, and email its players; return whether this call did."""
    if season.final == Season.Final.NONE or season.league.is_paused(now) or not is_played(season):
        return False
    season = locked_season_of_players(season)
    if season.state != Season.State.RUNNING or season.league.is_paused(now) or not is_played(season):
        return False
    final = next_final(season, now)
    if final is None or final.at > now:
        return False
    row = _new_table(season, [entry.user_id for entry in final.players])
    begin_table(final.players, row, now)
    people = [entry.user for entry in final.players]
    record_event(AuditEvent.Kind.FINAL, season, None, touched=people, table=row)
    for entry in final.players:
        context = {"entry": entry.pk, "tables": [row.pk]}
        notify("league_table", to=entry.user, key=f"league_table:{row.pk}:{entry.pk}", context=context)
    reschedule(season)
    return True


def _new_table(season: Season, players: list[int]) -> LeagueTable:
    """Store the final as a round of its own in the highest division, after its others."""
    highest = season.divisions.order_by("level")[0]
    highest.season = season
    last = highest.rounds.aggregate(last=Max("number"))["last"] or 0
    draw = {"tables": [players], "byes": [], "scores": None}
    round_ = Round.objects.create(division=highest, number=last + 1, draw=draw, is_final=True)
    return LeagueTable.objects.create(round=round_, number=1)
