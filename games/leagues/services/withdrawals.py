"""Players who withdraw, are expelled or are absent, and who fills their places."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import (
    AuditEvent,
    Bye,
    Division,
    League,
    LeagueTable,
    OpenSeat,
    Registration,
    Round,
    Season,
    SeatAssignment,
)
from games.leagues.services.audit_log import record_event
from games.leagues.services.lifecycle import cancel
from games.leagues.services.open_seats import (
    cleaned_note,
    close,
    is_needed,
    is_settled,
    left_by,
    offer_seat,
    open_seat_now,
    season_number_of,
    seek,
)
from games.leagues.services.pairing import draw_again
from games.leagues.services.permissions import cleaned_reason, locked_league, locked_season, require_organiser
from games.leagues.services.registration import MAY_COME_BACK, leave_season, move_up
from games.leagues.services.schedule import reschedule, rounds_ahead, run_for_all
from games.leagues.services.substitutes import stop_volunteering
from games.models import Seat, Table
from games.services import Refused, give_up

_TRIES = 3  # another transaction may begin a game or a season, or bring someone in, at that very moment


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
    _put_out(entry, Registration.State.WITHDRAWN, reason, now)
    record_event(AuditEvent.Kind.WITHDREW, season, entry.user, touched=[entry.user], reason=reason)
    _leave(season, entry.user, OpenSeat.Why.WITHDRAWN, note, now)
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
    _put_out(entry, Registration.State.EXPELLED, reason, now)
    record_event(AuditEvent.Kind.EXPELLED, season, by, touched=[entry.user], reason=reason)
    _leave(season, entry.user, OpenSeat.Why.EXPELLED, "", now)
    _offer_place(season, entry)
    move_up(season, now)
    reschedule(season)


def _require_expellable(entry: Registration, season: Season, by: User) -> None:
    if season.state in Season.OVER:
        raise Refused(_("This season has finished."))
    if entry.user_id == by.pk:
        raise Refused(_("You cannot expel yourself. Leave the season or withdraw from it."))
    if entry.is_out:
        raise Refused(_("This person is no longer in the season."))


def _put_out(entry: Registration, state: Registration.State, reason: str, now: datetime) -> None:
    entry.state, entry.reason, entry.out_at = state, reason, now
    entry.save(update_fields=["state", "reason", "out_at"])


def _leave(season: Season, user: User, why: OpenSeat.Why, note: str, now: datetime) -> None:
    """Stop volunteering and give up every seat at the season's running tables, including as a substitute."""
    stop_volunteering(season, user)
    for table in list(_running().filter(round__division__season=season, table__seats__user=user)):
        seat = _given_up(table, user)
        if seat is not None:
            _seek(table, seat, user, why, now, note)


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


def _running() -> QuerySet[LeagueTable]:
    """Return the tables in play, in the order in which their games are locked."""
    playing = LeagueTable.objects.filter(collected_at=None, table__state=Table.State.PLAYING)
    return playing.select_related("table").order_by("pk")


def _given_up(table: LeagueTable, user: User) -> int | None:
    """Give the person's seat to a bot and return its number; None if nothing could be given up."""
    for _try in range(_TRIES):
        seat = Seat.objects.select_related("table", "user").filter(table=table.table_id, user=user).first()
        if seat is None:
            return None
        try:
            give_up(seat)
        except Refused:
            continue
        return seat.number
    return None


def _seek(
    table: LeagueTable, seat: int, user: User | None, why: OpenSeat.Why, now: datetime, note: str = ""
) -> None:
    open_seat = open_seat_now(seek(table, seat, user, why, now, note))
    offer_seat(open_seat, now)


# What players do on the pages of their games


def notice_absences(now: datetime) -> int:
    """Open searches for seats given up or left by absent players; end needless ones. Part of the tick.

    Return how many seats changed.
    """
    left = run_for_all(list(_seats_left()), _noticed, now)
    return left + run_for_all(_searches_that_may_end(), _closed_if_needless, now)


def _seats_left() -> Iterator[Seat]:
    """Yield the seats played by bots for which no search has been opened yet."""
    tables = {table.table_id: table for table in _running().filter(_has_bot())}
    played = Seat.objects.filter(~Q(bot="") | ~Q(played_by_bot=""), table__in=tables)
    for seat in played.order_by("table", "number"):
        if not is_settled(tables[seat.table_id], seat):
            yield seat


def _has_bot() -> Exists:
    seats = Seat.objects.filter(~Q(bot="") | ~Q(played_by_bot=""), table=OuterRef("table"))
    return Exists(seats)


@transaction.atomic
def _noticed(seat: Seat, now: datetime) -> bool:
    table = LeagueTable.objects.get(table=seat.table_id)
    season = locked_season(
        Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables=table.pk)
    )
    seat = Seat.objects.select_related("table", "user").get(pk=seat.pk)
    is_on = season.state == Season.State.RUNNING and seat.table.state == Table.State.PLAYING
    if not is_on or not seat.played_by or is_settled(table, seat):
        return False
    why = OpenSeat.Why.LEFT if seat.bot else OpenSeat.Why.AWAY
    _seek(table, seat.number, left_by(seat), why, now)
    reschedule(season)  # someone who gave up a seat has room for another table
    return True


def _searches_that_may_end() -> QuerySet[OpenSeat]:
    seats = Seat.objects.filter(table=OuterRef("table__table"), number=OuterRef("seat"))
    is_back = Exists(seats.filter(user__isnull=False, played_by_bot=""))
    over = ~Q(table__table__state=Table.State.PLAYING)
    not_running = ~Q(table__round__division__season__state=Season.State.RUNNING)
    return OpenSeat.objects.filter(over | not_running | is_back, state__in=OpenSeat.SOUGHT).order_by("pk")


@transaction.atomic
def _closed_if_needless(open_seat: OpenSeat, now: datetime) -> bool:
    locked_season(season_number_of(open_seat))
    open_seat = open_seat_now(open_seat)
    if open_seat.state not in OpenSeat.SOUGHT or is_needed(open_seat):
        return False
    close(open_seat, now)
    return True


# Filling places left during the season from the waiting list


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
    refusal = _why_not(season, has_place=has_place, round_=round_, waiting=waiting)
    if refusal and by is None:
        return None
    if refusal:
        raise Refused(refusal)
    assert round_ is not None
    assert waiting is not None
    _bring_in(waiting, division, round_, gap, now)
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


def _why_not(season: Season, *, has_place: bool, round_: Round | None, waiting: Registration | None) -> str:
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


def _bring_in(
    entry: Registration, division: Division, round_: Round, gap: Registration | None, now: datetime
) -> None:
    entry.state, entry.division, entry.from_round = Registration.State.PLAYING, division, round_.number
    entry.in_place_of, entry.confirmed_at = gap, now
    entry.save(update_fields=["state", "division", "from_round", "in_place_of", "confirmed_at"])
    if gap is None:
        draw_again(division)
    SeatAssignment.objects.filter(entry=gap, table__table=None).update(entry=entry)
    Bye.objects.filter(entry=gap, round__number__gte=round_.number).update(entry=entry)
    key = f"league_place:{entry.pk}:{now.isoformat()}"
    queue("league_place", to=entry.user, key=key, context={"entry": entry.pk})


# Closing an account: the person leaves every season and stops substituting and organising.
#
# The caller holds the person's lock.


@transaction.atomic
def leave_everything(user: User) -> None:
    """Leave every season that is not over and every league the person organises. Safe to repeat."""
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


def _leave_season(entry: Registration) -> None:
    for _try in range(_TRIES):
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
        AuditEvent.Kind.NO_ORGANISER, league, user, touched=_players_of(league), facts={"is_last": True}
    )


def _players_of(league: League) -> list[User]:
    """Return everyone in a season that is not over."""
    entries = Registration.objects.filter(season__league=league).exclude(season__state__in=Season.OVER)
    return [entry.user for entry in entries.exclude(state__in=Registration.OUT).select_related("user")]
