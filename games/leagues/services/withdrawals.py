"""Players who withdraw from a season in progress, or are expelled from it."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import AuditEvent, LeagueTable, OpenSeat, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.open_seats import cleaned_note, tables_in_play
from games.leagues.services.permissions import require_organiser
from games.leagues.services.ready_tables import rounds_ahead
from games.leagues.services.registration import MAY_COME_BACK, move_up
from games.leagues.services.schedule import reschedule
from games.leagues.services.substitute_offers import seek_substitute
from games.leagues.services.substitutes import stop_volunteering
from games.models import Seat
from games.services import Refused, give_up

TRIES = 3  # another transaction may begin a game or a season, or bring someone in, at that very moment


@transaction.atomic
def withdraw(entry: Registration, *, note: str = "", reason: str = "") -> None:
    """Withdraw a player from the season: they give up their seats at running tables and begin no others.

    The note goes to the substitute who takes each seat. Safe to repeat.
    Raises Refused for someone who does not play in the season.
    """
    note, reason = cleaned_note(note), cleaned_reason(reason) if reason.strip() else ""
    season = locked_season(entry.season_id)
    entry = Registration.objects.select_related("user").get(pk=entry.pk)
    if entry.state == Registration.State.WITHDRAWN:
        return
    if entry.state != Registration.State.PLAYING or season.state != Season.State.RUNNING:
        raise Refused(_("You can withdraw only from a season in progress that you play in."))
    now = clock.now()
    _set_out(entry, Registration.State.WITHDRAWN, reason, now)
    record_event(AuditEvent.Kind.WITHDREW, season, entry.user, touched=[entry.user], reason=reason)
    _give_up_seats(season, entry.user, OpenSeat.Why.WITHDRAWN, note, now)
    _offer_place(season, entry)
    reschedule(season)


@transaction.atomic
def expel(entry: Registration, by: User, reason: str) -> None:
    """Expel someone from the season, also as a substitute, and email them the reason. Safe to repeat.

    Raises Refused for someone who is already out and for oneself, and as every organiser action does.
    """
    season = locked_season(entry.season_id)
    require_organiser(season.league, by)
    entry = Registration.objects.select_related("user").get(pk=entry.pk)
    if entry.state == Registration.State.EXPELLED:
        return
    _require_expellable(entry, season, by)
    reason, now = cleaned_reason(reason), clock.now()
    _set_out(entry, Registration.State.EXPELLED, reason, now)
    record_event(AuditEvent.Kind.EXPELLED, season, by, touched=[entry.user], reason=reason)
    _give_up_seats(season, entry.user, OpenSeat.Why.EXPELLED, "", now)
    _offer_place(season, entry)
    move_up(season, now)
    reschedule(season)


def _require_expellable(entry: Registration, season: Season, by: User) -> None:
    if season.state in Season.OVER:
        raise Refused(_("This season has finished."))
    if entry.user_id == by.pk:
        raise Refused(_("You can’t expel yourself. Leave the season or withdraw from it."))
    if entry.is_out:
        raise Refused(_("This person is no longer in the season."))


def _set_out(entry: Registration, state: Registration.State, reason: str, now: datetime) -> None:
    entry.state, entry.reason, entry.out_at = state, reason, now
    entry.save(update_fields=["state", "reason", "out_at"])


def _give_up_seats(season: Season, user: User, why: OpenSeat.Why, note: str, now: datetime) -> None:
    """Stop volunteering and give up every seat at the season's running tables, including as a substitute."""
    stop_volunteering(season, user)
    for table in list(tables_in_play().filter(round__division__season=season, table__seats__user=user)):
        seat = _given_up(table, user)
        if seat is not None:
            seek_substitute(table, seat, user, why, now, note)


def _offer_place(season: Season, entry: Registration) -> None:
    """Email the substitutes that the place is free, with tables yet to begin, unless someone waits for it."""
    waiting = season.entries.filter(state=Registration.State.WAITING)
    if entry.division is None or waiting.exists() or not rounds_ahead(entry.division, entry).exists():
        return
    known = season.entries.exclude(state__in=MAY_COME_BACK).values("user")
    helping = season.substitutes.filter(stopped_at=None, user__is_active=True).exclude(user__in=known)
    for one in helping.select_related("user"):
        key = f"league_gap:{entry.pk}:{one.user_id}"
        queue("league_gap", to=one.user, key=key, context={"entry": entry.pk})


def _given_up(table: LeagueTable, user: User) -> int | None:
    """Give the person's seat to a bot and return its number; None if nothing could be given up."""
    for _try in range(TRIES):
        seat = Seat.objects.select_related("table", "user").filter(table=table.table_id, user=user).first()
        if seat is None:
            return None
        try:
            give_up(seat)
        except Refused:
            continue
        return seat.number
    return None
