"""End the game of a late table: by the season's rule, or by an organiser."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.times import moment
from games.leagues.models import AuditEvent, LeagueTable, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.permissions import locked_by_organiser
from games.leagues.services.schedule import late_rule
from games.leagues.services.table_deadlines import is_late, locked_on_time, people_of
from games.models import Table
from games.services import Refused, adjudicate


@transaction.atomic
def adjudicate_late(row: LeagueTable, now: datetime) -> bool:
    """Adjudicate a table that is still late, by the season's rule; return whether it was.

    Nothing can be ended between two games of a match.
    Such a table is adjudicated when the next game has begun.
    """
    row, season = locked_on_time(row)
    may_be_extended = season.extension_days and not row.is_extended
    if not is_late(row, now) or may_be_extended or late_rule(season) == Season.Late.ORGANISER:
        return False
    with_winner = late_rule(season) == Season.Late.REGIONS
    if adjudicate(row.game_table, with_winner=with_winner, now=now) is None:
        return False
    people = [seat.person for seat in row.game_table.seats.people()]
    record_event(AuditEvent.Kind.ADJUDICATED, season, None, touched=people, table=row)
    return True


def require_late(table: LeagueTable, now: datetime) -> None:
    """Raise Refused unless the table's game is in progress, and its time is over."""
    if table.table is None:
        raise Refused(_("The game at this table has not begun."))
    if table.table.state != Table.State.PLAYING:
        raise Refused(_("The game at this table is already over."))
    if table.deadline > now:
        # Translators: ends is a moment, such as "Friday 6 March, 14:10"
        text = _(
            "This table is not late. Its players have time until %(ends)s. After that you can adjudicate it."
        )
        raise Refused(text % {"ends": moment(table.deadline)})


@transaction.atomic
def adjudicate_by_hand(table: LeagueTable, by: User, with_winner: bool, reason: str) -> None:
    """End the current game at a late table; the players with most regions win, or no one does.

    Raises Refused before the table's end, when no game is in progress and between two games of a match.
    Also raises Refused as every organiser action does.
    """
    table, season = locked_by_organiser(table, by)
    reason, now = cleaned_reason(reason), clock.now()
    require_late(table, now)
    if adjudicate(table.game_table, with_winner=with_winner, now=now) is None:
        raise Refused(_("The match is between two games. Wait until the next game has begun."))
    record_event(
        AuditEvent.Kind.ADJUDICATED,
        season,
        by,
        touched=people_of(table),
        reason=reason,
        table=table,
    )
