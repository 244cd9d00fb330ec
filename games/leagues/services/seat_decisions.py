"""Organisers decide who plays at a seat: a substitute, someone else in place of a player, or its bot."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.leagues.models import AuditEvent, LeagueTable, OpenSeat, Registration, Season, SubstituteOffer
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.open_seats import (
    close,
    give_seat,
    is_needed,
    open_seat_now,
    season_id_of,
    seat_of,
    withdraw_offers,
)
from games.leagues.services.permissions import locked_by_organiser, require_account, require_organiser
from games.leagues.services.schedule import reschedule
from games.leagues.services.substitute_offers import may_sit
from games.models import Seat, Table
from games.services import Refused, replace_player


@transaction.atomic
def seat_substitute(open_seat: OpenSeat, by: User, user: User, reason: str) -> Seat:
    """Give the seat to a substitute, out of turn, or to the organiser who asks. Safe to repeat.

    Raises Refused for someone who is not a substitute, has declined this seat or does not fit the table.
    Also raises Refused if the seat is no longer free, and as every organiser action does.
    """
    require_account(user)
    season, reason = _ruled(open_seat, by, reason)
    open_seat = open_seat_now(open_seat)
    if open_seat.state == OpenSeat.State.TAKEN and open_seat.taken_by_id == user.pk:
        return seat_of(open_seat)
    if open_seat.state not in OpenSeat.SOUGHT or not is_needed(open_seat):
        raise Refused(_("This seat no longer needs a substitute."))
    if open_seat.asks.filter(substitute__user=user, answer=SubstituteOffer.Answer.DECLINED).exists():
        raise Refused(_("This person has declined the seat. Choose someone else."))
    require_willing(open_seat, season, by, user)
    open_seat.asks.filter(
        substitute__user=user, answer__in=(SubstituteOffer.Answer.OPEN, SubstituteOffer.Answer.SILENT)
    ).update(answer=SubstituteOffer.Answer.ACCEPTED)
    give_seat(open_seat, user, clock.now())
    record_event(
        AuditEvent.Kind.SUBSTITUTED, season, by, touched=[user], reason=reason, table=open_seat.table
    )
    return seat_of(open_seat)


def _ruled(open_seat: OpenSeat, by: User, reason: str) -> tuple[Season, str]:
    season = locked_season(season_id_of(open_seat))
    require_organiser(season.league, by)
    return season, cleaned_reason(reason)


def require_willing(open_seat: OpenSeat, season: Season, by: User, user: User) -> None:
    """Raise Refused for someone to whom an organiser can't give a seat, or not this one."""
    if user != by and user not in willing(season):
        raise Refused(_("You can give a seat only to a substitute or player of this season, or to yourself."))
    if not may_sit(open_seat, user):
        raise Refused(_("This person can’t take a seat at this table. Choose someone else."))


def willing(season: Season) -> list[User]:
    """Return those to whom an organiser may give a seat: first the substitutes in order, then the players."""
    helping = season.substitutes.filter(stopped_at=None).select_related("user")
    playing = season.entries.filter(state=Registration.State.PLAYING).select_related("user")
    found = [one.user for one in helping] + [one.user for one in playing]
    return [user for user in dict.fromkeys(found) if user.is_active]


@transaction.atomic
def play_on(open_seat: OpenSeat, by: User, reason: str) -> None:
    """Leave the seat to its bot and end the search. Safe to repeat.

    An absent player may still come back.
    Raises Refused if the seat has been taken, and as every organiser action does.
    """
    season, reason = _ruled(open_seat, by, reason)
    open_seat = open_seat_now(open_seat)
    if open_seat.state == OpenSeat.State.TAKEN:
        raise Refused(_("Someone has already taken this seat."))
    if open_seat.state == OpenSeat.State.CLOSED:
        return
    withdraw_offers(open_seat)
    close(open_seat, clock.now())
    touched = [open_seat.left_by] if open_seat.left_by else []
    record_event(
        AuditEvent.Kind.LEFT_TO_BOT, season, by, touched=touched, reason=reason, table=open_seat.table
    )


@transaction.atomic
def replace_seated(row: LeagueTable, number: int, by: User, user: User, reason: str) -> None:
    """Give the seat of a player to someone else, who plays on; the player stays in the season.

    Safe to repeat.
    Raises Refused at an anonymous table, for a seat that a bot plays and in the cases of `seat_substitute`.
    """
    require_account(user)
    row, season = locked_by_organiser(row, by)
    reason = cleaned_reason(reason)
    seat = Seat.objects.select_related("table", "user").filter(table=row.table_id, number=number).first()
    if seat is not None and seat.user_id == user.pk:
        return
    seat = _replaceable(row, seat)
    require_willing(OpenSeat(table=row, seat=number), season, by, user)
    leaver = seat.person
    replace_player(seat, user)
    for kind, person in ((AuditEvent.Kind.REPLACED, leaver), (AuditEvent.Kind.SUBSTITUTED, user)):
        record_event(kind, season, by, touched=[person], reason=reason, table=row)
    reschedule(season)  # the player who left the table has room for another


def _replaceable(row: LeagueTable, seat: Seat | None) -> Seat:
    if seat is None or row.game_table.state != Table.State.PLAYING:
        raise Refused(_("The game at this table is not in progress."))
    if row.game_table.is_anonymous:
        raise Refused(_("Seats at this table are secret, so you can’t replace a player before it is over."))
    if seat.played_by:
        raise Refused(_("A bot plays there now. Give the free seat to someone instead."))
    return seat
