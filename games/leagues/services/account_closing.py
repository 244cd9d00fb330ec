"""Closing an account: the person leaves every season, and stops substituting and organising.

The caller holds the person's lock.
"""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from games.leagues.models import AuditEvent, League, Organiser, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.cancellation import cancel
from games.leagues.services.locks import locked_league, locked_season
from games.leagues.services.registration import leave_season
from games.leagues.services.schedule import reschedule
from games.leagues.services.substitutes import stop_volunteering
from games.leagues.services.withdrawals import TRIES, withdraw
from games.services import Refused


@transaction.atomic
def leave_everything(user: User) -> None:
    """Leave every season that is not over, and every league the person runs or assists in. Safe to repeat."""
    entries = (
        Registration.objects.filter(user=user)
        .exclude(season__state__in=Season.OVER)
        .exclude(state__in=Registration.OUT)
    )
    for entry in entries.order_by("season"):
        _leave_season(entry)
    for season in Season.objects.filter(substitutes__user=user, substitutes__stopped_at=None).order_by("pk"):
        stop_volunteering(season, user)
    for league in League.objects.organised_by(user).order_by("pk"):
        _stop_organising(league, user)
    for assistant in Organiser.staff.filter(user=user).select_related("league").order_by("pk"):
        _stop_assisting(assistant.league, user)


def _leave_season(entry: Registration) -> None:
    for _try in range(TRIES):
        entry.refresh_from_db()
        try:
            if entry.state == Registration.State.PLAYING:
                withdraw(entry)
            else:
                leave_season(entry.season, entry.user)
        except Refused:
            continue
        return


def _stop_organising(league: League, user: User) -> None:
    """Remove an organiser; a league with none left finishes what has begun and plans nothing more."""
    seasons = league.seasons.exclude(state__in=Season.OVER).order_by("pk")
    going_on = [locked_season(season) for season in seasons]
    league = locked_league(league)
    league.organisers.filter(user=user).delete()
    if league.organisers.exists():
        record_event(AuditEvent.Kind.NO_ORGANISER, league, user)
        return
    for season in going_on:
        if season.state == Season.State.PLANNED:
            cancel(season, None, why=AuditEvent.NO_ORGANISER_LEFT)
        else:
            reschedule(season)
    record_event(
        AuditEvent.Kind.NO_ORGANISER,
        league,
        user,
        touched=_players_of(league),
        facts={"is_last": True},
        is_limited=False,  # nothing may keep an account from being closed
    )


def _stop_assisting(league: League, user: User) -> None:
    league = locked_league(league)
    _deleted, by_model = Organiser.staff.filter(league=league, user=user).delete()
    if by_model:
        facts = {"role": Organiser.Role.ASSISTANT.value}
        record_event(AuditEvent.Kind.NO_ORGANISER, league, user, facts=facts)


def _players_of(league: League) -> list[User]:
    """Return everyone in a season that is not over."""
    entries = Registration.objects.filter(season__league=league).exclude(season__state__in=Season.OVER)
    return [entry.user for entry in entries.exclude(state__in=Registration.OUT).select_related("user")]
