"""Remind players whose turn it is: before the end of their table, and when an organiser asks for it."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.clocks.counted_hours import HIDDEN
from games.leagues.models import AuditEvent, LeagueTable, Season, SeatAssignment
from games.leagues.services.audit_log import record_event
from games.leagues.services.permissions import locked_by_staff
from games.leagues.services.schedule import reschedule
from games.leagues.services.table_deadlines import is_running, locked_on_time
from games.models import Seat
from games.models.matches import last_game
from games.narration.seat_names import shown_names
from games.services import Refused

REMIND_AGAIN = timedelta(hours=6)


@transaction.atomic
def remind_late(row: LeagueTable, now: datetime) -> bool:
    """Remind players whose turn it is, some days before the table's end.

    An extended table gets one more reminder.
    """
    row, season = locked_on_time(row)
    if not is_running(row) or row.reminded_at is not None or season.league.is_paused(now):
        return False
    if now < row.deadline - timedelta(days=season.remind_days):
        return False
    row.reminded_at = now
    row.save(update_fields=["reminded_at"])
    if season.remind_days:
        _email_players_to_move(row)
    reschedule(season)
    return True


def _email_players_to_move(row: LeagueTable) -> None:
    """Email the players who sit there now; `entry` is that of the player assigned to the seat."""
    seated = dict(SeatAssignment.objects.filter(table=row).values_list("position", "entry"))
    until = int(row.deadline.timestamp())
    for seat in _seats_to_move(row):
        key = f"league_reminder:{row.pk}:{seat.user_id}:{until}"
        context = {"table": row.pk, "entry": seated.get(seat.number)}
        queue("league_reminder", to=seat.person, key=key, context=context)


def _seats_to_move(row: LeagueTable) -> QuerySet[Seat]:
    """Return the seats of people who have to move and play themselves."""
    return row.game_table.seats.people().filter(asked_since__isnull=False, played_by_bot="")


@transaction.atomic
def remind_now(row: LeagueTable, by: User) -> list[str]:
    """Remind the players whose turn it is; return their names, or none while decisions are secret (R17).

    Raises Refused if no one has to move, in a pause of the league and soon after another reminder.
    Also raises Refused for everyone but organisers and assistants.
    """
    row, season = locked_by_staff(row, by)
    _require_remindable(row, season)
    to_move = list(_seats_to_move(row))
    game = last_game(row.game_table)
    is_secret = game is not None and game.phase == HIDDEN and not game.is_over
    if not to_move and not is_secret:
        raise Refused(_("No one has to move at this table now."))
    told = [seat for seat in to_move if seat.user_id != by.pk]
    if not told and not is_secret:
        raise Refused(_("Only you have to move at this table."))
    event = record_event(AuditEvent.Kind.REMINDED, season, by, table=row)
    seated = dict(row.assignments.values_list("position", "entry"))
    for seat in told:
        context = {"table": row.pk, "entry": seated.get(seat.number), "by": by.pk}
        key = f"league_reminder:{row.pk}:{seat.user_id}:by-{event.pk}"
        queue("league_reminder", to=seat.person, key=key, context=context)
    names = shown_names(row.game_table.all_seats(), None)
    return [] if is_secret else [names[seat.number] for seat in told]


def _require_remindable(row: LeagueTable, season: Season) -> None:
    if not is_running(row):
        raise Refused(_("The game at this table is not in progress."))
    now = clock.now()
    if season.league.is_paused(now):
        raise Refused(_("The league is paused, so no one has to move now."))
    if row.events.filter(kind=AuditEvent.Kind.REMINDED, at__gt=now - REMIND_AGAIN).exists():
        raise Refused(_("You reminded this table less than six hours ago. Wait before you do it again."))
