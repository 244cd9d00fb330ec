"""The season after a closed one: planned automatically, with the places that players have earned."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db.models import QuerySet

from games.leagues.models import Registration, Season
from games.leagues.services.locks import locked_league, locked_season
from games.leagues.services.season_plans import earned, keep_places, next_plan, plan_season
from games.services import Refused

logger = logging.getLogger(__name__)


def keep_places_again(season: Season, following: Season) -> bool:
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
