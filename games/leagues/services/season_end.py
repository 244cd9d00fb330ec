"""The end of a season: it is closed, and its computed places are published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from accounts import clock
from games.leagues.models import AuditEvent, Division, Registration, Season, Standing
from games.leagues.results.division_standings import DivisionStandings, standings_by_division
from games.leagues.results.finals import winner_of_final
from games.leagues.scoring.promotion import next_levels
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.finals import next_final
from games.leagues.services.league_news import tell_season_over
from games.leagues.services.locks import locked_season
from games.leagues.services.next_season import keep_places_again, next_season
from games.leagues.services.schedule import is_played, reschedule

CORRECTABLE = timedelta(days=14)


@transaction.atomic
def close_season(season: Season, now: datetime) -> bool:
    """Close a season whose tables are all over, publish its places and email those who played to the end.

    Return whether this call closed it.
    """
    season = locked_season(season)
    if season.state != Season.State.RUNNING or not is_played(season) or next_final(season, now):
        return False
    season.state, season.closed_at = Season.State.CLOSED, now
    season.save(update_fields=["state", "closed_at"])
    publish(season)
    record_event(AuditEvent.Kind.CLOSED, season, None)
    tell_season_over(season)
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


def corrections_end(season: Season) -> datetime | None:
    """Return until when the results of a closed season can be corrected; None for other seasons."""
    if season.state != Season.State.CLOSED or season.closed_at is None:
        return None
    return season.closed_at + CORRECTABLE


def is_correctable(season: Season) -> bool:
    """Return whether results still count: while the season runs, and for some days after its end."""
    until = corrections_end(season)
    return season.state == Season.State.RUNNING or (until is not None and clock.now() < until)


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
    stays = following is not None and not keep_places_again(season, following)
    return {"places": moved, "stays": bool(moved) and stays}


def _published(season: Season) -> dict[int, tuple[int, int | None]]:
    """Return each player's published place and their level in the next season, by user ID."""
    standings = Standing.objects.filter(division__season=season).order_by("division__level", "place")
    rows = standings.values_list("entry__user", "place", "next_level")
    return {user: (place, level) for user, place, level in rows}


def standings_of(season: Season) -> list[Standing]:
    """Return a season's standings, the highest division first; nothing is stored."""
    divisions = list(season.divisions.order_by("level"))
    for division in divisions:
        division.season = season
    computed = standings_by_division(divisions)
    levels = _earned_levels(season, computed)
    rows = [
        row
        for division, standing in zip(divisions, computed, strict=True)
        for row in _standings_of_division(division, standing, levels)
    ]
    winner = winner_of_final(season)
    for row in rows:
        row.won_final = row.entry.user_id == winner
    return rows


def _standings_of_division(
    division: Division, computed: DivisionStandings, levels: Mapping[int, int]
) -> Iterable[Standing]:
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
    spared = {player for one in computed for player in one.spared}
    share = season.promoted_share
    return next_levels(finals, promoted=season.promoted, share=share, staying=staying, spared=spared)
