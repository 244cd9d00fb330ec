"""Places that players leave during a season, filled from the waiting list."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import AuditEvent, Bye, Division, Registration, Round, Season, SeatAssignment
from games.leagues.services.audit_log import record_event
from games.leagues.services.each_row import run_for_all
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_organiser
from games.leagues.services.ready_tables import rounds_ahead
from games.leagues.services.round_draws import draw_again
from games.leagues.services.schedule import reschedule
from games.services import Refused


def fill_gaps(now: datetime) -> int:
    """Fill left places from the waiting list; return in how many divisions. Part of the tick."""
    waiting = Registration.objects.filter(season=OuterRef("pk"), state=Registration.State.WAITING)
    left = _left().filter(season=OuterRef("pk"))
    running = Season.objects.filter(state=Season.State.RUNNING)
    seasons = running.filter(Exists(waiting), Exists(left)).order_by("pk")
    divisions = Division.objects.filter(season__in=seasons).order_by("season", "-level")
    return run_for_all(divisions, _fill_all, now)


def _fill_all(division: Division, now: datetime) -> int:
    count = 0
    while fill_gap(division, None, now) is not None:
        count += 1
    return count


@transaction.atomic
def fill_gap(division: Division, by: User | None, now: datetime, reason: str = "") -> Registration | None:
    """Give a left place in this division to the person who has waited longest, with its seats yet to begin.

    Without an organiser, return None if there is nothing to do.
    An organiser may do it while the division has room; rounds of which no table has begun are drawn again.
    Raises Refused if no one waits, nothing is left to play or no place is free.
    Also raises Refused as every organiser action does.
    """
    season = locked_season(division.season_id)
    require_organiser(season.league, by)
    reason = cleaned_reason(reason) if by else ""
    gap, waiting = _gap(division), _first_waiting(season)
    round_ = _first_round(division, gap)
    has_place = gap is not None or (by is not None and _has_room(division, season))
    refusal = _reason_against(season, has_place=has_place, round_=round_, waiting=waiting)
    if refusal and by is None:
        return None
    if refusal:
        raise Refused(refusal)
    assert round_ is not None
    assert waiting is not None
    _give_place(waiting, division, round_, gap, now)
    if by is None:  # an organiser's decision is emailed with its reason
        key = f"league_place:{waiting.pk}:{now.isoformat()}"
        queue("league_place", to=waiting.user, key=key, context={"entry": waiting.pk})
    reschedule(season)
    record_event(
        AuditEvent.Kind.FILLED,
        season,
        by,
        touched=[waiting.user],
        reason=reason,
        facts={"division": division.level, "round": round_.number},
        round=round_,
    )
    return waiting


def _reason_against(
    season: Season, *, has_place: bool, round_: Round | None, waiting: Registration | None
) -> str:
    if season.state != Season.State.RUNNING:
        return _("This season is not in progress.")
    if round_ is None:
        return _("No more tables begin in this division.")
    if not has_place:
        return _("There is no free place in this division.")
    return "" if waiting else _("No one is on the waiting list.")


def _left() -> QuerySet[Registration]:
    """Return players who are out and whose place no one has yet."""
    out = (Registration.State.WITHDRAWN, Registration.State.EXPELLED)
    return Registration.objects.filter(division__isnull=False, state__in=out, replaced_by=None)


def _gap(division: Division) -> Registration | None:
    return _left().filter(division=division).order_by("out_at", "pk").first()


def _has_room(division: Division, season: Season) -> bool:
    return division.entries.filter(state=Registration.State.PLAYING).count() < season.division_size


def _first_round(division: Division, gap: Registration | None) -> Round | None:
    """Return the first round that someone who comes now can play: one with a seat of the gap, or not drawn.

    Someone who fills no gap can play any round of which no table has begun.
    """
    if gap is not None:
        return rounds_ahead(division, gap).first()
    begun = division.rounds.filter(tables__table__isnull=False).aggregate(last=Max("number"))["last"] or 0
    return division.rounds.filter(Q(draw__isnull=True) | Q(number__gt=begun)).order_by("number").first()


def _first_waiting(season: Season) -> Registration | None:
    waiting = season.entries.filter(state=Registration.State.WAITING, user__is_active=True)
    return waiting.select_related("user").order_by("registered_at", "pk").first()


def _give_place(
    entry: Registration, division: Division, round_: Round, gap: Registration | None, now: datetime
) -> None:
    entry.state, entry.division, entry.from_round = Registration.State.PLAYING, division, round_.number
    entry.in_place_of, entry.confirmed_at = gap, now
    entry.save(update_fields=["state", "division", "from_round", "in_place_of", "confirmed_at"])
    if gap is None:
        draw_again(division)
    SeatAssignment.objects.filter(entry=gap, table__table=None).update(entry=entry)
    Bye.objects.filter(entry=gap, round__number__gte=round_.number).update(entry=entry)
