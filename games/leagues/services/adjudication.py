"""Late tables, and organisers' decisions about tables and players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.clocks.pauses import PRESSED_TWICE, give_time, require_sense
from games.leagues.models import (
    AuditEvent,
    Award,
    Division,
    LeagueTable,
    Registration,
    Season,
    SeatAssignment,
)
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_ratings import rate_again
from games.leagues.services.permissions import (
    cleaned_reason,
    locked_season,
    locked_table,
    require_organiser,
)
from games.leagues.services.schedule import given_back, is_watched, last_outage, late_rule, reschedule
from games.leagues.services.season_end import is_correctable, publish_again
from games.models import Proposal, Table
from games.models.locking import locked_game
from games.models.matches import last_game
from games.services import Refused, adjudicate

# What is due at a table. Each step looks again under the season's lock, and is taken once.


def is_running(row: LeagueTable) -> bool:
    """Return whether the table's game or match is being played."""
    return row.table is not None and row.table.state == Table.State.PLAYING and row.collected_at is None


@transaction.atomic
def give_back_outages(row: LeagueTable, now: datetime) -> bool:
    """Extend the table by the time the site was down during it; return whether it was extended.

    Each outage counts once.
    """
    row, season = locked_table(row)
    return _give_back(row, season)


def _give_back(row: LeagueTable, season: Season) -> bool:
    latest = last_outage()
    if not is_running(row) or row.outage >= latest:
        return False
    lost = given_back(row)
    row.outage, row.ends_at = latest, row.deadline + lost
    row.save(update_fields=["outage", "ends_at"])
    if lost:
        reschedule(season)
    return bool(lost)


def _held(row: LeagueTable) -> tuple[LeagueTable, Season]:
    """Lock the season and return the table, with its end after all outages, and the season."""
    row, season = locked_table(row)
    _give_back(row, season)
    return row, season


def _is_due(row: LeagueTable, now: datetime) -> bool:
    return is_running(row) and now >= row.deadline and is_watched(now)


@transaction.atomic
def remind_late(row: LeagueTable, now: datetime) -> bool:
    """Remind players whose turn it is, some days before the table's end.

    An extended table gets one more reminder.
    """
    row, season = _held(row)
    if not is_running(row) or row.reminded_at is not None or season.league.is_paused(now):
        return False
    if now < row.deadline - timedelta(days=season.remind_days):
        return False
    row.reminded_at = now
    row.save(update_fields=["reminded_at"])
    if season.remind_days:
        _remind(row)
    reschedule(season)
    return True


def _remind(row: LeagueTable) -> None:
    """Email the players who sit there now; `entry` is that of the player assigned to the seat."""
    seated = dict(SeatAssignment.objects.filter(table=row).values_list("position", "entry"))
    asked = row.game_table.seats.people().filter(asked_since__isnull=False, played_by_bot="")
    until = int(row.deadline.timestamp())
    for seat in asked:
        key = f"league_reminder:{row.pk}:{seat.user_id}:{until}"
        context = {"table": row.pk, "entry": seated[seat.number]}
        queue("league_reminder", to=seat.person, key=key, context=context)


@transaction.atomic
def extend_late(row: LeagueTable, now: datetime) -> bool:
    """Extend a late table once, by the number of days its season allows."""
    row, season = _held(row)
    if not _is_due(row, now) or row.is_extended or not season.extension_days:
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


@transaction.atomic
def adjudicate_late(row: LeagueTable, now: datetime) -> bool:
    """Adjudicate a table that is still late, by the season's rule; return whether it was.

    Nothing can be ended between two games of a match.
    Such a table is adjudicated when the next game has begun.
    """
    row, season = _held(row)
    may_be_extended = season.extension_days and not row.is_extended
    if not _is_due(row, now) or may_be_extended or late_rule(season) == Season.Late.ORGANISER:
        return False
    with_winner = late_rule(season) == Season.Late.REGIONS
    if adjudicate(row.game_table, with_winner=with_winner, now=now) is None:
        return False
    people = [seat.person for seat in row.game_table.seats.people()]
    record_event(AuditEvent.Kind.ADJUDICATED, season, None, touched=people, table=row)
    return True


# Organisers' decisions about tables and players, with a reason. Everyone affected gets an email.


MOST_DAYS = 90
LATEST_END = timedelta(days=2 * 366)
MOST_POINTS = 1000


# Tables


@transaction.atomic
def award(table: LeagueTable, by: User, points: Sequence[int | None], reason: str) -> None:
    """Award points at a finished table, one value for each position, whatever was played.

    None means as played; for all of them, it withdraws earlier awards. The last award counts.
    Repeating the same award changes nothing.
    It corrects a closed season: its places are published again, and we email everyone whose place changes.
    Raises Refused before the result is counted, some days after the season was closed, and for invalid
    points. Also raises Refused as every organiser action does.
    """
    table, season = ruled(table, by)
    reason = cleaned_reason(reason)
    _require_awardable(table, season)
    _require_points(points, table.assignments.count())
    last = table.awards.last()
    is_withdrawn = all(point is None for point in points)
    known = (last.points, last.reason, last.by_id) if last else None
    if known == (list(points), reason, by.pk) or (is_withdrawn and last is None):
        return
    if is_withdrawn:
        table.awards.all().delete()
    else:
        Award.objects.create(table=table, points=list(points), reason=reason, by=by)
    rate_again(LeagueTable.objects.filter(pk=table.pk))
    facts: dict[str, Any] = {"points": list(points)}
    if season.state == Season.State.CLOSED:
        facts |= publish_again(season)
    moved = User.objects.filter(pk__in=[user for user, *_places in facts.get("places", ())])
    touched = [*people_of(table), *moved]
    kind = AuditEvent.Kind.UNAWARDED if is_withdrawn else AuditEvent.Kind.AWARDED
    record_event(kind, season, by, touched=touched, reason=reason, facts=facts, table=table)


def ruled(table: LeagueTable, by: User) -> tuple[LeagueTable, Season]:
    """Lock the season, require an organiser, and return the current table and season."""
    table, season = locked_table(table)
    require_organiser(season.league, by)
    return table, season


def _require_awardable(table: LeagueTable, season: Season) -> None:
    if not is_correctable(season):
        raise Refused(_("Results can be corrected for 14 days after a season’s end. They are final now."))
    if table.table is None or table.table.state != Table.State.FINISHED:
        raise Refused(_("The game at this table is not over yet."))
    if table.facts is None:
        raise Refused(_("This table's result is being counted. Try again in a minute."))


def _require_points(points: Sequence[int | None], seats: int) -> None:
    if len(points) != seats:
        raise Refused(_("Enter the points of each seat."))
    for point in points:
        if point is not None and (type(point) is not int or not 0 <= point <= MOST_POINTS):
            raise Refused(_("Points must be whole numbers from 0 to %(most)d.") % {"most": MOST_POINTS})


def people_of(table: LeagueTable) -> Iterable[User]:
    """Return the players assigned to this table and those who sit there now."""
    seated = [assignment.entry.user for assignment in table.assignments.select_related("entry__user")]
    return [*seated, *[seat.person for seat in table.game_table.seats.people()]]


@transaction.atomic
def adjudicate_by_hand(table: LeagueTable, by: User, with_winner: bool, reason: str) -> None:
    """End the current game at a late table; the players with most regions win, or no one does.

    Raises Refused before the table's end, when no game is in progress and between two games of a match.
    Also raises Refused as every organiser action does.
    """
    table, season = ruled(table, by)
    reason, now = cleaned_reason(reason), clock.now()
    if table.table is None:
        raise Refused(_("The game at this table has not begun."))
    if table.table.state != Table.State.PLAYING:
        raise Refused(_("The game at this table is already over."))
    if table.deadline > now:
        raise Refused(_("This table is not late. Its players still have time."))
    if adjudicate(table.table, with_winner=with_winner, now=now) is None:
        raise Refused(_("The match is between two games. Wait until the next game has begun."))
    record_event(
        AuditEvent.Kind.ADJUDICATED,
        season,
        by,
        touched=people_of(table),
        reason=reason,
        table=table,
    )


@transaction.atomic
def extend_by_hand(
    row: LeagueTable, by: User, days: int, reason: str, hours: int | None = None
) -> LeagueTable:
    """Extend the table by this many days, counted from now if its end has passed.

    With `hours`, players whose turn it is get that much more time.

    This does not use up the season's own extension of late tables. A repeated click has no further effect.
    Raises Refused for a table that is not being played, and as every organiser action does.
    """
    row, season = ruled(row, by)
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
    game = locked_game(game)
    require_sense(game, Proposal.What.MORE_TIME, hours, now)
    give_time(game, by, hours, now)


def _was_just_done(row: LeagueTable, by: User, reason: str) -> bool:
    just_now = clock.now() - PRESSED_TWICE
    done = AuditEvent.objects.filter(kind=AuditEvent.Kind.EXTENDED, table=row, by=by, reason=reason)
    return done.filter(at__gt=just_now).exists()


# Players


@transaction.atomic
def move_entry(entry: Registration, by: User, level: int, reason: str) -> Registration:
    """Move a player to another division; possible until a round of either division is drawn.

    Moving a player to their current division does nothing.
    Raises Refused if there is no such division or too few players would remain in the old one.
    Also raises Refused as every organiser action does.
    """
    season = locked_season(entry.season_id)
    require_organiser(season.league, by)
    entry = Registration.objects.select_related("user", "division").get(pk=entry.pk)
    reason = cleaned_reason(reason)
    if entry.state != Registration.State.PLAYING or entry.division is None:
        raise Refused(_("You can move only players of a season in progress."))
    if entry.division.level == level:
        return entry
    division = _free_to_come(season, level)
    _require_free_to_go(season, entry.division)
    facts = {"from": entry.division.level, "to": level}
    entry.division = division
    entry.save(update_fields=["division"])
    record_event(AuditEvent.Kind.MOVED, season, by, touched=[entry.user], reason=reason, facts=facts)
    return entry


def _free_to_come(season: Season, level: int) -> Division:
    division = season.divisions.filter(level=level).first()
    if division is None:
        raise Refused(_("There is no such division. Choose another."))
    _require_not_begun(division)
    if _playing(division) >= season.division_size:
        raise Refused(_("That division is full. Choose another."))
    return division


def _require_free_to_go(season: Season, division: Division) -> None:
    _require_not_begun(division)
    if _playing(division) <= season.size:
        raise Refused(_("Too few players would be left in their division for a table."))


def _require_not_begun(division: Division) -> None:
    if division.rounds.filter(draw__isnull=False).exists():
        raise Refused(
            _("The first round has begun. Players now stay in their division until the season ends.")
        )


def _playing(division: Division) -> int:
    return division.entries.filter(state=Registration.State.PLAYING).count()
