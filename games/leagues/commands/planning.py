"""Planning a season: its rules are stated here, and stay as they are once its sign-up is open."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from games.commands import Refused
from games.leagues.commands.deeds import write_down
from games.leagues.commands.locking import locked_league, locked_season
from games.leagues.commands.looking import put_off
from games.leagues.commands.opening import call_off, longer_sign_up, open_sign_up
from games.leagues.commands.people import require_organiser
from games.leagues.commands.plans import DATES, PLAN, BadPlan, problems_of, sound_plan
from games.leagues.models import Deed, Entry, League, Season, Standing

__all__ = [
    "PLAN",
    "BadPlan",
    "call_off",
    "keep_places",
    "longer_sign_up",
    "next_plan",
    "open_sign_up",
    "plan_season",
    "problems_of",
    "replan_season",
]

USUAL_PAUSE = 7
LEAST_SIGN_UP = timedelta(days=7)  # of a season that follows by itself
_BEFORE_THE_START = (Season.State.PLANNED, Season.State.SIGN_UP, Season.State.CONFIRMING)


def plan_season(league: League, by: User | None, *, form_key: UUID | None = None, **plan: Any) -> Season:
    """The league's next season. The same form sent twice plans one; `by` is None for the league by itself.

    Whoever earned a place in the last season has one kept. Raises BadPlan, which is a Refused, for a plan
    that cannot be played, and Refused while another season has yet to begin.
    """
    sound = sound_plan(plan, present.now())
    key = form_key or uuid4()
    try:
        return _plan(league, by, key, sound)
    except IntegrityError:
        planned = league.seasons.filter(form_key=key).first()
    return planned or _plan(league, by, uuid4(), sound)  # the key was another league's


@transaction.atomic
def _plan(league: League, by: User | None, key: UUID, sound: dict[str, Any]) -> Season:
    league = locked_league(league)
    require_organiser(league, by)
    planned = league.seasons.filter(form_key=key).first()
    if planned is not None:
        return planned
    _require_none_before_its_start(league)
    last = league.seasons.aggregate(last=Max("number"))["last"] or 0
    season = Season.objects.create(league=league, number=last + 1, form_key=key, **sound)
    write_down(Deed.Kind.PLANNED, season, by)
    keep_places(season)
    put_off(season)
    return season


def _require_none_before_its_start(league: League) -> None:
    waiting = league.seasons.filter(state__in=_BEFORE_THE_START).first()
    if waiting is not None:
        told = _("Season %(number)d has yet to begin: change that one, or call it off.")
        raise Refused(told % {"number": waiting.number})


def keep_places(season: Season) -> int:
    """Keep a place, at his level, for everybody whom the last closed season gave one; returns for how many.

    Part of the caller's transaction; who is in the season already stays as he is.
    """
    last = season.league.seasons.filter(state=Season.State.CLOSED, number__lt=season.number).last()
    earned = _earned(last)[: season.places] if last else []
    kept = [
        Entry(
            season=season,
            user_id=standing.entry.user_id,
            state=Entry.State.EXPECTED,
            reserved=standing.next_level,
            seeding=seeding,
        )
        for seeding, standing in enumerate(earned)
    ]
    return len(Entry.objects.bulk_create(kept, ignore_conflicts=True))


def _earned(last: Season) -> list[Standing]:
    """Who has a place after that season, the best first: by level, then by where they were and how well."""
    here = {"entry__user__is_active": True, "entry__user__deleted_at": None}
    standings = Standing.objects.filter(division__season=last, next_level__isnull=False, **here)
    return list(standings.select_related("entry").order_by("next_level", "division__level", "place"))


@transaction.atomic
def replan_season(season: Season, by: User, **plan: Any) -> Season:
    """Another plan, as long as nobody could sign up by the first. Raises Refused afterwards, and BadPlan."""
    season = locked_season(season)
    require_organiser(season.league, by)
    if season.state != Season.State.PLANNED:
        raise Refused(_("The sign-up is open: its rules stay as they are."))
    before = {column: getattr(season, column) for column in PLAN}
    sound = sound_plan({**before, **plan}, present.now())
    for column, value in sound.items():
        setattr(season, column, value)
    _require_kept_places(season)
    season.save(update_fields=list(sound))
    write_down(Deed.Kind.REPLANNED, season, by)
    put_off(season)
    return season


def _require_kept_places(season: Season) -> None:
    kept = season.entries.filter(state=Entry.State.EXPECTED).count()
    if kept > season.places:
        told = _("Places are kept for %(kept)d players from the season before; this plan has %(places)d.")
        raise BadPlan({"most_divisions": [told % {"kept": kept, "places": season.places}]})


def next_plan(season: Season) -> dict[str, Any]:
    """The same season again: its sign-up opens some days after this one's end, at the hour at which it opened
    before, and all goes on as it did."""
    plan = {column: getattr(season, column) for column in PLAN}
    pause = USUAL_PAUSE if season.pause_days is None else season.pause_days
    over = season.closed_at or present.now()
    days = (over + timedelta(days=pause) - season.opens_at).days  # whole ones: hours stay as they were chosen
    shift = timedelta(days=days if season.opens_at + timedelta(days=days) >= over else days + 1)
    return plan | _following({column: plan[column] + shift for column in DATES}, season)


def _following(dates: dict[str, datetime], season: Season) -> dict[str, datetime]:
    """These dates as a plan may have them: a sign-up that ended early, for all places were taken, lasts for a
    week again, and one that was left open for longer leaves all their days to confirm."""
    if season.closes_when_full:
        dates["signup_ends_at"] = max(dates["signup_ends_at"], dates["opens_at"] + LEAST_SIGN_UP)
    confirmed = dates["signup_ends_at"] + timedelta(days=season.confirm_days)
    return dates | {"begins_at": max(dates["begins_at"], confirmed)}
