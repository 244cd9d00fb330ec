"""Open the sign-up of a season, by date or by an organiser."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from accounts.models import User
from games.leagues.models import AuditEvent, Invitation, Registration, Season
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.invitation_emails import email_invitation
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_organiser
from games.leagues.services.schedule import reschedule

LATE_BY = timedelta(days=1)  # from this delay on, the site itself was down: the other dates move too


@transaction.atomic
def open_sign_up(season: Season, by: User | None, now: datetime) -> bool:
    """Open the sign-up; email the members of the last season and everyone invited.

    Happens by date, or earlier by an organiser. Return whether this call opened it.
    """
    season = locked_season(season)
    require_organiser(season.league, by)
    if season.state != Season.State.PLANNED or (by is None and now < season.opens_at):
        return False
    _set_dates(season, by, now)
    season.state = Season.State.SIGN_UP
    season.save(update_fields=["state", "opens_at", "signup_ends_at", "begins_at"])
    record_event(AuditEvent.Kind.OPENED, season, by)
    reschedule(season)
    _email_the_opening(season)
    return True


def _set_dates(season: Season, by: User | None, now: datetime) -> None:
    late = now - season.opens_at
    if by is not None:
        season.opens_at = min(now, season.opens_at)
    elif late > LATE_BY:
        season.opens_at, season.signup_ends_at = now, season.signup_ends_at + late
        season.begins_at += late


def _email_the_opening(season: Season) -> None:
    for person in _known_people(season):
        key = f"league_opens:{season.pk}:{person.pk}"
        notify("league_opens", to=person, key=key, context={"season": season.pk})
    for invited in season.invited.filter(state=Invitation.State.SENT).select_related("by"):
        email_invitation(invited)


def _known_people(season: Season) -> QuerySet[User]:
    """Return people with a reserved place, and those playing or waiting at the end of the season before."""
    kept = Q(league_entries__season=season, league_entries__state=Registration.State.EXPECTED)
    there = (
        Registration.State.PLAYING,
        Registration.State.CONFIRMED,
        Registration.State.SIGNED_UP,
        Registration.State.WAITING,
    )
    before = season.league.seasons.filter(number__lt=season.number).exclude(state=Season.State.PLANNED).last()
    members = Q(league_entries__season=before, league_entries__state__in=there) if before else Q(pk=None)
    here = User.objects.filter(is_active=True, deleted_at=None)
    return here.filter(kept | members).distinct().order_by("pk")
