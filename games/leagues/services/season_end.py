"""The end of a season: collect results, publish places and plan the next season."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from accounts import clock
from games.leagues.models import AuditEvent, Division, LeagueTable, Registration, Season, Standing
from games.leagues.results.division_standings import DivisionStandings, standings_by_division
from games.leagues.results.stored_facts import facts_json
from games.leagues.results.table_results import facts_of_table
from games.leagues.scoring.promotion import next_levels
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.permissions import locked_league, locked_season, locked_table
from games.leagues.services.schedule import is_played, reschedule, run_for_all
from games.leagues.services.season_plans import earned, keep_places, next_plan, plan_season
from games.models import Table
from games.services import Refused

logger = logging.getLogger(__name__)
CORRECTABLE = timedelta(days=14)


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


def is_correctable(season: Season) -> bool:
    """Return whether results still count: while the season runs, and for some days after its end."""
    if season.state == Season.State.CLOSED and season.closed_at:
        return clock.now() < season.closed_at + CORRECTABLE
    return season.state == Season.State.RUNNING


def publish_again(season: Season) -> dict[str, Any]:
    """Publish a closed season's places again, and reserve places in the next season by them.

    Return, as an event's facts, who moved: user ID, place before and after, level in the next season before
    and after; and whether the next season stays as it is, because its sign-up is over.
    Needs the season's lock.
    """
    before = _published(season)
    publish(season)
    after = _published(season)
    moved = [[user, *was, *now] for user, now in after.items() if (was := before[user]) != now]
    later = season.league.seasons.filter(number__gt=season.number).exclude(state=Season.State.CANCELLED)
    following = later.order_by("number").first()
    stays = following is not None and not _keep_places_again(season, following)
    return {"places": moved, "stays": bool(moved) and stays}


def _published(season: Season) -> dict[int, tuple[int, int | None]]:
    """Return each player's published place and their level in the next season, by user ID."""
    standings = Standing.objects.filter(division__season=season).order_by("division__level", "place")
    rows = standings.values_list("entry__user", "place", "next_level")
    return {user: (place, level) for user, place, level in rows}


def _keep_places_again(season: Season, following: Season) -> bool:
    """Reserve the places again that players have earned; return False if the sign-up is over."""
    following = locked_season(following)
    if following.state == Season.State.PLANNED:
        following.entries.filter(state=Registration.State.EXPECTED).delete()
        keep_places(following)
    elif following.state == Season.State.SIGN_UP:
        _set_levels(following.entries.exclude(reserved=None), season)
    else:
        return False
    return True


def standings_of(season: Season) -> list[Standing]:
    """Return a season's standings, the highest division first; nothing is stored."""
    divisions = list(season.divisions.order_by("level"))
    for division in divisions:
        division.season = season
    computed = standings_by_division(divisions)
    levels = _earned_levels(season, computed)
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


def _earned_levels(season: Season, computed: Sequence[DivisionStandings]) -> dict[int, int]:
    """Return the level of each reserved place in the next season; players who are out get none."""
    staying = {
        player
        for one in computed
        for player, entry in one.entries.items()
        if entry.state == Registration.State.PLAYING
    }
    finals = [one.standings.order for one in computed]
    return next_levels(finals, promoted=season.promoted, staying=staying)


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
    first_organiser = season.league.organisers.select_related("user").first()
    if season.pause_days is None or first_organiser is None:
        return None
    if season.league.seasons.filter(number__gt=season.number).exists():
        return None
    try:
        return plan_season(season.league, None, **next_plan(season, first_organiser.user.zone))
    except Refused as refused:
        logger.warning("no season follows season %s automatically: %s", season.pk, refused)
        return None


def _claim_places(season: Season, following: Season) -> None:
    """Reserve earned places before the sign-up; afterwards, set the level of those who have signed up."""
    following = locked_season(following)
    if following.state == Season.State.PLANNED:
        keep_places(following)
        return
    _set_levels(following.entries.filter(reserved=None), season)


def _set_levels(entries: QuerySet[Registration], season: Season) -> None:
    """Give these entries of the next season the levels that their players have earned."""
    for seeding, standing in enumerate(earned(season)):
        same_person = entries.filter(user=standing.entry.user_id)
        same_person.update(reserved=standing.next_level, seeding=seeding)
