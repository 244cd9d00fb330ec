"""Plan a season: its rules, which are fixed once its sign-up is open, and the places kept for players."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import Any
from uuid import UUID, uuid4

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from accounts import clock
from accounts.local_times import shifted
from accounts.models import User
from accounts.rate_limits import hit
from games.leagues.models import AuditEvent, League, Registration, Season, Standing
from games.leagues.services.audit_log import record_event
from games.leagues.services.locks import locked_league
from games.leagues.services.permissions import require_organiser
from games.leagues.services.plan_checks import A_DAY, DATES, PLAN, sound_plan
from games.leagues.services.schedule import reschedule
from games.services import Refused

USUAL_PAUSE = 7
SEASONS_A_DAY = 10  # of an organiser: opening and cancelling one emails its players and all invited


def plan_season(league: League, by: User | None, *, form_key: UUID | None = None, **plan: Any) -> Season:
    """Plan the league's next season. The same form sent twice plans one; `by` is None for automatic planning.

    Players who earned a place in the last season have one reserved.
    Raises BadPlan, a subclass of Refused, for a plan that cannot be played.
    Raises Refused while another season has yet to begin, and when the organiser has planned too many today.
    """
    sound = sound_plan(plan, clock.now())
    key = form_key or uuid4()
    try:
        return _plan(league, by, key, sound)
    except IntegrityError:
        planned = league.seasons.filter(form_key=key).first()
    return planned or _plan(league, by, uuid4(), sound)  # the key belonged to another league


@transaction.atomic
def _plan(league: League, by: User | None, key: UUID, sound: dict[str, Any]) -> Season:
    league = locked_league(league)
    require_organiser(league, by)
    planned = league.seasons.filter(form_key=key).first()
    if planned is not None:
        return planned
    _require_none_before_its_start(league)
    if by is not None and not hit("plan season", str(by.pk), SEASONS_A_DAY):
        raise Refused(_("You’ve planned too many seasons today. Plan the next one tomorrow."))
    last = league.seasons.aggregate(last=Max("number"))["last"] or 0
    season = Season.objects.create(league=league, number=last + 1, form_key=key, **sound)
    record_event(AuditEvent.Kind.PLANNED, season, by)
    keep_places(season)
    reschedule(season)
    return season


def _require_none_before_its_start(league: League) -> None:
    waiting = league.seasons.filter(state__in=Season.BEFORE_PLAY).first()
    if waiting is not None:
        text = _("Season %(number)d has not begun yet. Change that one, or cancel it.")
        raise Refused(text % {"number": waiting.number})


def keep_places(season: Season) -> int:
    """Reserve places at the levels the last closed season gave its players; return how many.

    Part of the caller's transaction. Players already in the season are not changed.
    """
    last = season.league.seasons.filter(state=Season.State.CLOSED, number__lt=season.number).last()
    best = earned(last)[: season.max_players] if last else []
    kept = [
        Registration(
            season=season,
            user_id=standing.entry.user_id,
            state=Registration.State.EXPECTED,
            reserved=standing.next_level,
            seeding=seeding,
        )
        for seeding, standing in enumerate(best)
    ]
    return len(Registration.objects.bulk_create(kept, ignore_conflicts=True))


def earned(last: Season) -> list[Standing]:
    """Return the standings that earned a place, the best first: by next level, previous level and place."""
    here = {"entry__user__is_active": True, "entry__user__deleted_at": None}
    standings = Standing.objects.filter(division__season=last, next_level__isnull=False, **here)
    return list(standings.select_related("entry").order_by("next_level", "division__level", "place"))


def next_plan(season: Season, zone: tzinfo) -> dict[str, Any]:
    """Return the plan for the same season again, with its dates moved.

    Its sign-up opens some days after this season's end. All dates keep their local time in this zone.
    """
    plan = {column: getattr(season, column) for column in PLAN}
    pause = USUAL_PAUSE if season.pause_days is None else season.pause_days
    over = season.closed_at or clock.now()
    shift = timedelta(days=(over + timedelta(days=pause) - season.opens_at).days)
    if shifted(season.opens_at, shift, zone) < over:
        shift += A_DAY
    return plan | _following({column: shifted(plan[column], shift, zone) for column in DATES}, season)


def _following(dates: dict[str, datetime], season: Season) -> dict[str, datetime]:
    """Adjust the dates so that everyone has all their days to confirm, even if sign-up was extended."""
    confirmed = dates["signup_ends_at"] + timedelta(days=season.confirm_days)
    return dates | {"begins_at": max(dates["begins_at"], confirmed)}
