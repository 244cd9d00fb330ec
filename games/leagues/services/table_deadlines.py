"""The end of a table's time: moved by outages, once by the season's rule, and by organisers."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.models import User
from games.clocks.pauses import PRESSED_TWICE, give_time, require_sense
from games.leagues.models import AuditEvent, LeagueTable, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_table
from games.leagues.services.outage_time import given_back, is_watched, last_outage
from games.leagues.services.permissions import locked_by_staff
from games.leagues.services.schedule import reschedule
from games.models import Proposal, Table
from games.models.locking import locked_game
from games.models.matches import last_game
from games.services import Refused

MOST_DAYS = 90
LATEST_END = timedelta(days=2 * 366)


def is_running(row: LeagueTable) -> bool:
    """Return whether the table's game or match is being played."""
    return row.table is not None and row.table.state == Table.State.PLAYING and row.collected_at is None


@transaction.atomic
def give_back_outages(row: LeagueTable, now: datetime) -> bool:
    """Extend the table by the time the site was down during it; return whether it was extended.

    Each outage counts once.
    """
    row, season = locked_table(row)
    return _add_outage_time(row, season)


def _add_outage_time(row: LeagueTable, season: Season) -> bool:
    latest = last_outage()
    if not is_running(row) or row.outage >= latest:
        return False
    lost = given_back(row)
    row.outage, row.ends_at = latest, row.deadline + lost
    row.save(update_fields=["outage", "ends_at"])
    if lost:
        reschedule(season)
    return bool(lost)


def locked_on_time(row: LeagueTable) -> tuple[LeagueTable, Season]:
    """Lock the season and return the table, with its end after all outages, and the season."""
    row, season = locked_table(row)
    _add_outage_time(row, season)
    return row, season


def is_late(row: LeagueTable, now: datetime) -> bool:
    """Return whether the table's time is over. Just after an outage, no table is late."""
    return is_running(row) and now >= row.deadline and is_watched(now)


@transaction.atomic
def extend_late(row: LeagueTable, now: datetime) -> bool:
    """Extend a late table once, by the number of days its season allows."""
    row, season = locked_on_time(row)
    if not is_late(row, now) or row.is_extended or not season.extension_days:
        return False
    row.is_extended = True
    _prolong(row, season, None, max(row.deadline, now) + timedelta(days=season.extension_days))
    return True


def _prolong(row: LeagueTable, season: Season, by: User | None, until: datetime, reason: str = "") -> None:
    """Move the table's end and remind late players again before it. Needs the season's lock."""
    row.ends_at, row.reminded_at = until, None
    row.save(update_fields=["ends_at", "reminded_at", "is_extended"])
    touched = people_of(row) if by else ()
    facts = {"until": until.isoformat()}
    record_event(AuditEvent.Kind.EXTENDED, season, by, touched=touched, reason=reason, facts=facts, table=row)
    reschedule(season)


def people_of(table: LeagueTable) -> Iterable[User]:
    """Return the players assigned to this table and those who sit there now."""
    seated = [assignment.entry.user for assignment in table.assignments.select_related("entry__user")]
    return [*seated, *[seat.person for seat in table.game_table.seats.people()]]


@transaction.atomic
def extend_by_hand(
    row: LeagueTable, by: User, days: int, reason: str, hours: int | None = None
) -> LeagueTable:
    """Extend the table by this many days, counted from now if its end has passed.

    With `hours`, players whose turn it is get that much more time.

    This does not use up the season's own extension of late tables. A repeated click has no further effect.
    Raises Refused for a table that is not being played, and as every organiser action does.
    """
    row, season = locked_by_staff(row, by)
    reason = cleaned_reason(reason)
    if not is_running(row):
        raise Refused(_("You can extend a table only while it is in progress."))
    if not 1 <= days <= MOST_DAYS:
        raise Refused(
            ngettext(
                "Choose from 1 to %(most)d extra day.", "Choose from 1 to %(most)d extra days.", MOST_DAYS
            )
            % {"most": MOST_DAYS}
        )
    if not _was_just_done(row, by, reason):
        now = clock.now()
        until = max(row.deadline, now) + timedelta(days=days)
        if until > now + LATEST_END:
            raise Refused(
                _("A table must end within two years from now. Nothing was changed. Choose fewer days.")
            )
        if hours:
            _give_hours(row, by, hours)
        _prolong(row, season, by, until, reason)
    return row


def _give_hours(row: LeagueTable, by: User, hours: int) -> None:
    game, now = last_game(row.game_table), clock.now()
    if game is None or game.is_over:
        raise Refused(_("The match is between two games. Wait until the next game has begun."))
    game = locked_game(game.pk)
    require_sense(game, Proposal.What.MORE_TIME, hours, now)
    give_time(game, by, hours, now)


def _was_just_done(row: LeagueTable, by: User, reason: str) -> bool:
    just_now = clock.now() - PRESSED_TWICE
    done = AuditEvent.objects.filter(kind=AuditEvent.Kind.EXTENDED, table=row, by=by, reason=reason)
    return done.filter(at__gt=just_now).exists()
