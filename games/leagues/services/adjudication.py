"""Late rounds and organisers' decisions about rounds, tables and players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.clocks.pauses import PRESSED_TWICE
from games.leagues.models import (
    AuditEvent,
    Award,
    Division,
    LeagueTable,
    Registration,
    Round,
    Season,
    SeatAssignment,
)
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_ratings import rate_again
from games.leagues.services.pairing import locked_round, shift_later
from games.leagues.services.permissions import cleaned_reason, late_rule, locked_season, require_organiser
from games.leagues.services.schedule import given_back, is_watched, last_outage, reschedule
from games.models import Table
from games.services import Refused, adjudicate


def still_played(round_: Round) -> list[LeagueTable]:
    """Return the round's tables that are not over, by number."""
    rows = round_.tables.filter(collected_at=None, table__state=Table.State.PLAYING)
    return list(rows.select_related("table").order_by("number"))


# Outages of the site


@transaction.atomic
def give_back_outages(round_: Round, now: datetime) -> bool:
    """Extend the round by the time the site was down during it; return whether it was extended.

    Each outage counts once.
    """
    round_, season = locked_round(round_)
    return _give_back(round_, season)


def _give_back(round_: Round, season: Season) -> bool:
    latest = last_outage()
    if round_.state != Round.State.PLAYING or round_.outage >= latest:
        return False
    lost = given_back(round_)
    round_.outage, round_.ends_at = latest, round_.ends_at + lost
    round_.save(update_fields=["outage", "ends_at"])
    if lost:
        shift_later(round_, season, round_.ends_at)
        reschedule(season)
    return bool(lost)


def _held(round_: Round) -> tuple[Round, Season]:
    """Lock the season and return the round, with its end after all outages, and the season."""
    round_, season = locked_round(round_)
    _give_back(round_, season)
    return round_, season


def _is_due(round_: Round, now: datetime) -> bool:
    return round_.state == Round.State.PLAYING and now >= round_.ends_at and is_watched(now)


# Late tables


@transaction.atomic
def remind_late(round_: Round, now: datetime) -> bool:
    """Remind players whose turn it is at unfinished tables, some days before the round ends.

    An extended round gets one more reminder.
    """
    round_, season = _held(round_)
    if round_.state != Round.State.PLAYING or round_.reminded_at is not None:
        return False
    if now < round_.ends_at - timedelta(days=season.remind_days):
        return False
    round_.reminded_at = now
    round_.save(update_fields=["reminded_at"])
    if season.remind_days:
        for row in still_played(round_):
            _remind(row, round_)
    reschedule(season)
    return True


def _remind(row: LeagueTable, round_: Round) -> None:
    """Email the players who sit there now; `entry` is that of the player assigned to the seat."""
    seated = dict(SeatAssignment.objects.filter(table=row).values_list("position", "entry"))
    asked = row.table.seats.people().filter(asked_since__isnull=False, played_by_bot="")
    until = int(round_.ends_at.timestamp())
    for seat in asked:
        key = f"league_reminder:{row.pk}:{seat.user_id}:{until}"
        context = {"table": row.pk, "entry": seated[seat.number]}
        queue("league_reminder", to=seat.person, key=key, context=context)


@transaction.atomic
def extend_round(round_: Round, now: datetime) -> bool:
    """Extend a round with late tables once, by the number of days its season allows."""
    round_, season = _held(round_)
    if not _is_due(round_, now) or round_.is_extended or not season.extension_days:
        return False
    if not still_played(round_):
        return False
    prolong(round_, season, max(round_.ends_at, now) + timedelta(days=season.extension_days))
    record_event(
        AuditEvent.Kind.EXTENDED, season, None, round=round_, facts={"until": round_.ends_at.isoformat()}
    )
    return True


def prolong(round_: Round, season: Season, until: datetime) -> None:
    """Move the end of the round and remind late players again before it. Needs the season's lock."""
    round_.ends_at, round_.reminded_at, round_.is_extended = until, None, True
    round_.save(update_fields=["ends_at", "reminded_at", "is_extended"])
    shift_later(round_, season, until)
    reschedule(season)


@transaction.atomic
def adjudicate_late(round_: Round, now: datetime) -> int:
    """Adjudicate tables that are still late, by the season's rule; return how many.

    Nothing can be ended between two games of a match.
    Such a table is adjudicated when the next game has begun.
    """
    round_, season = _held(round_)
    may_be_extended = season.extension_days and not round_.is_extended
    if not _is_due(round_, now) or may_be_extended or late_rule(season) == Season.Late.ORGANISER:
        return 0
    return sum([_adjudicate(row, round_, season, now) for row in still_played(round_)])


def _adjudicate(row: LeagueTable, round_: Round, season: Season, now: datetime) -> bool:
    with_winner = late_rule(season) == Season.Late.REGIONS
    if adjudicate(row.table, with_winner=with_winner, now=now) is None:
        return False
    people = [seat.person for seat in row.table.seats.people()]
    record_event(AuditEvent.Kind.ADJUDICATED, season, None, touched=people, round=round_, table=row)
    return True


# Organisers' decisions about rounds, tables and players, with a reason. Everyone affected gets an email.


MOST_DAYS = 90
MOST_POINTS = 1000


# Tables


@transaction.atomic
def award(table: LeagueTable, by: User, points: Sequence[int | None], reason: str) -> Award:
    """Award points at a finished table, one value for each position, whatever was played.

    None means as played. The last award counts. Repeating the same award changes nothing.
    Raises Refused before the result is counted, once the season is closed, and for invalid points.
    Also raises Refused as every organiser action does.
    """
    table, season = _ruled(table, by)
    reason = cleaned_reason(reason)
    _require_awardable(table, season)
    _require_points(points, table.assignments.count())
    last = table.awards.last()
    if last is not None and (last.points, last.reason, last.by_id) == (list(points), reason, by.pk):
        return last
    awarded = Award.objects.create(table=table, points=list(points), reason=reason, by=by)
    rate_again(LeagueTable.objects.filter(pk=table.pk))
    record_event(
        AuditEvent.Kind.AWARDED,
        season,
        by,
        touched=_people_of(table),
        reason=reason,
        facts={"points": list(points)},
        round=table.round,
        table=table,
    )
    return awarded


def _ruled(table: LeagueTable, by: User) -> tuple[LeagueTable, Season]:
    """Lock the season, require an organiser, and return the current table and season."""
    pk = Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables=table.pk)
    season = locked_season(pk)
    require_organiser(season.league, by)
    return LeagueTable.objects.select_related("table", "round__division").get(pk=table.pk), season


def _require_awardable(table: LeagueTable, season: Season) -> None:
    if season.state != Season.State.RUNNING:
        raise Refused(_("This season has finished and its final standings are published."))
    if table.table.state != Table.State.FINISHED:
        raise Refused(_("The game at this table is not over yet."))
    if table.facts is None:
        raise Refused(_("This table's result is being counted. Try again in a minute."))


def _require_points(points: Sequence[int | None], seats: int) -> None:
    if len(points) != seats:
        raise Refused(_("Enter the points of each seat."))
    for point in points:
        if point is not None and (type(point) is not int or not 0 <= point <= MOST_POINTS):
            raise Refused(_("Points must be whole numbers from 0 to %(most)d.") % {"most": MOST_POINTS})


def _people_of(table: LeagueTable) -> Iterable[User]:
    """Return the players assigned to this table and those who sit there now."""
    seated = [assignment.entry.user for assignment in table.assignments.select_related("entry__user")]
    return [*seated, *[seat.person for seat in table.table.seats.people()]]


@transaction.atomic
def adjudicate_by_hand(table: LeagueTable, by: User, with_winner: bool, reason: str) -> None:
    """End the current game at a table whose round is over; the players with most regions win, or no one does.

    Raises Refused before the round's end, when no game is in progress and between two games of a match.
    Also raises Refused as every organiser action does.
    """
    table, season = _ruled(table, by)
    reason, now = cleaned_reason(reason), clock.now()
    if table.table.state != Table.State.PLAYING:
        raise Refused(_("The game at this table is already over."))
    if table.round.ends_at > now:
        raise Refused(_("This table is not late. Its players have until the end of the round."))
    if adjudicate(table.table, with_winner=with_winner, now=now) is None:
        raise Refused(_("The match is between two games. Wait until the next game has begun."))
    record_event(
        AuditEvent.Kind.ADJUDICATED,
        season,
        by,
        touched=_people_of(table),
        reason=reason,
        round=table.round,
        table=table,
    )


# Rounds


@transaction.atomic
def extend_by_hand(round_: Round, by: User, days: int, reason: str) -> Round:
    """Extend the round by this many days, counted from now if its end has passed.

    This does not use up the season's own extension for late tables. A repeated click has no further effect.
    Raises Refused for a round that is not being played, and as every organiser action does.
    """
    round_, season = locked_round(round_)
    require_organiser(season.league, by)
    reason, was_extended = cleaned_reason(reason), round_.is_extended
    if round_.state != Round.State.PLAYING:
        raise Refused(_("You can extend a round only while it is in progress."))
    if not 1 <= days <= MOST_DAYS:
        raise Refused(
            ngettext(
                "Choose from 1 to %(most)d extra day.", "Choose from 1 to %(most)d extra days.", MOST_DAYS
            )
            % {"most": MOST_DAYS}
        )
    if _was_just_done(round_, by, reason):
        return round_
    prolong(round_, season, max(round_.ends_at, clock.now()) + timedelta(days=days))
    round_.is_extended = was_extended
    round_.save(update_fields=["is_extended"])
    reschedule(season)
    facts = {"until": round_.ends_at.isoformat()}
    people = [person for table in still_played(round_) for person in _people_of(table)]
    record_event(
        AuditEvent.Kind.EXTENDED, season, by, touched=people, reason=reason, facts=facts, round=round_
    )
    return round_


def _was_just_done(round_: Round, by: User, reason: str) -> bool:
    just_now = clock.now() - PRESSED_TWICE
    done = AuditEvent.objects.filter(kind=AuditEvent.Kind.EXTENDED, round=round_, by=by, reason=reason)
    return done.filter(at__gt=just_now).exists()


# Players


@transaction.atomic
def move_entry(entry: Registration, by: User, level: int, reason: str) -> Registration:
    """Move a player to another division; possible until a round of either division has begun.

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
    if division.rounds.exclude(state=Round.State.PLANNED).exists():
        raise Refused(
            _("The first round has begun. Players now stay in their division until the season ends.")
        )


def _playing(division: Division) -> int:
    return division.entries.filter(state=Registration.State.PLAYING).count()
