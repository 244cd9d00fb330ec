"""The end of a season: collect results, publish places and plan the next season."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime

from django.db import transaction

from games.leagues.models import AuditEvent, Division, LeagueTable, Registration, Season, Standing
from games.leagues.results import DivisionStandings, facts_json, facts_of_table, standings_by_division
from games.leagues.services.adjudication import locked_table
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.permissions import locked_league, locked_season
from games.leagues.services.schedule import is_played, reschedule, run_for_all
from games.leagues.services.season_plans import keep_places, next_plan, plan_season
from games.leagues.standings import BadMove, next_divisions, require_movable
from games.models import Table
from games.services import Refused

logger = logging.getLogger(__name__)


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


# Closing a season: its computed places are published, and the next season is planned.


@transaction.atomic
def close_season(season: Season, now: datetime) -> bool:
    """Close a season whose tables are all over, publish its places and email those who played to the end.

    Return whether this call closed it.
    """
    season = locked_season(season)
    if season.state != Season.State.RUNNING or not is_played(season):
        return False
    season.state, season.closed_at = Season.State.CLOSED, now
    season.save(update_fields=["state", "closed_at"])
    publish(season)
    record_event(AuditEvent.Kind.CLOSED, season, None)
    played = season.entries.filter(state=Registration.State.PLAYING, standing__isnull=False)
    for entry in played.select_related("user").order_by("pk"):
        notify("league_closed", to=entry.user, key=f"league_closed:{entry.pk}", context={"entry": entry.pk})
    reschedule(season)
    next_season(season, now)
    return True


def publish(season: Season) -> None:
    """Publish the places of all divisions, from the facts stored now. Needs the season's lock."""
    Standing.objects.filter(division__season=season).delete()
    Standing.objects.bulk_create(standings_of(season))


def standings_of(season: Season) -> list[Standing]:
    """Return a season's standings, the highest division first; nothing is stored."""
    divisions = list(season.divisions.order_by("level"))
    for division in divisions:
        division.season = season
    computed = standings_by_division(divisions)
    levels = _next_levels(season, computed)
    return [
        row
        for division, standing in zip(divisions, computed, strict=True)
        for row in _rows(division, standing, levels)
    ]


def _rows(division: Division, computed: DivisionStandings, levels: Mapping[int, int]) -> Iterable[Standing]:
    for row in computed.standings.rows:
        yield Standing(
            division=division,
            entry=computed.entries[row.player],
            place=row.place,
            points=str(row.points),
            tables=row.played,
            victories=str(row.wins),
            average=str(row.average),
            next_level=levels.get(row.player),
        )


def _next_levels(season: Season, computed: Sequence[DivisionStandings]) -> dict[int, int]:
    """Return the level of each reserved place in the next season.

    The first and last of neighbouring divisions change places.
    Gaps left by players who are out are filled from below; those players get no reserved place.
    """
    finals = [one.standings.order for one in computed]
    sizes = [len(final) for final in finals if final]
    if not sizes:
        return {}
    staying = {
        player
        for one in computed
        for player, entry in one.entries.items()
        if entry.state == Registration.State.PLAYING
    }
    moving = _movable(sizes, season.promoted)
    divisions = next_divisions(
        [final for final in finals if final],
        promoted=moving,
        relegated=moving,
        staying=staying,
        waiting=(),
        sizes=sizes,
    )
    return {player: level for level, players in enumerate(divisions, start=1) for player in players}


def _movable(sizes: Sequence[int], most: int) -> int:
    """Return how many move by the season's rules, or fewer if a division is too small for that."""
    for moving in range(most, 0, -1):
        with suppress(BadMove):
            require_movable(sizes, moving, moving)
            return moving
    return 0


def next_season(season: Season, now: datetime) -> Season | None:
    """Plan the season after a closed one, or keep the one an organiser has already planned.

    It gets the same rules, and dates that follow on.
    Nothing is planned if none should follow or the league has no organiser.
    Called under the closed season's lock.
    Players keep the places they earned. The league's lock makes a simultaneous plan by an organiser wait.
    """
    locked_league(season.league)
    following = season.league.seasons.filter(number__gt=season.number, state__in=Season.BEFORE_PLAY).first()
    if following is not None:
        _claim_places(season, following)
        return following
    if season.pause_days is None or not season.league.organisers.exists():
        return None
    if season.league.seasons.filter(number__gt=season.number).exists():
        return None
    try:
        return plan_season(season.league, None, **next_plan(season))
    except Refused as refused:
        logger.warning("no season follows season %s automatically: %s", season.pk, refused)
        return None


def _claim_places(season: Season, following: Season) -> None:
    """Reserve earned places before the sign-up; afterwards, set the level of those who have signed up."""
    following = locked_season(following)
    if following.state == Season.State.PLANNED:
        keep_places(following)
        return
    earned = Standing.objects.filter(division__season=season, next_level__isnull=False)
    ordered = earned.select_related("entry").order_by("next_level", "division__level", "place")
    for seeding, standing in enumerate(ordered):
        same_person = following.entries.filter(user=standing.entry.user_id, reserved=None)
        same_person.update(reserved=standing.next_level, seeding=seeding)
