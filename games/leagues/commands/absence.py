"""Who plays no more: players who withdraw, are expelled, give a seat up or stay away from it.

A bot plays in each such seat at once, and somebody is sought for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from games.commands import Refused, give_up
from games.leagues.commands.asking import ask_somebody
from games.leagues.commands.deeds import write_down
from games.leagues.commands.each import for_each
from games.leagues.commands.helping import stop_helping
from games.leagues.commands.locking import locked_season
from games.leagues.commands.looking import put_off
from games.leagues.commands.people import require_organiser
from games.leagues.commands.signing_up import move_up
from games.leagues.commands.vacancies import (
    SOUGHT,
    cleaned_note,
    close,
    is_needed,
    is_settled,
    left_by,
    season_number_of,
    seek,
    vacancy_now,
)
from games.leagues.commands.words import cleaned_reason
from games.leagues.models import Deed, Entry, LeagueTable, Season, Vacancy
from games.models import Seat, Table

_TRIES = 3  # the next game of a match may begin at that very moment


@transaction.atomic
def withdraw(entry: Entry, *, note: str = "", reason: str = "") -> None:
    """He plays no more in this season: his seats at its running tables are given up, with a note for who
    takes each, and he is seated in no further round. Twice is once.

    Raises Refused for who does not play in it.
    """
    note, reason = cleaned_note(note), cleaned_reason(reason) if reason.strip() else ""
    season = locked_season(entry.season_id)
    entry = Entry.objects.select_related("user").get(pk=entry.pk)
    if entry.state == Entry.State.WITHDRAWN:
        return
    if entry.state != Entry.State.PLAYING or season.state != Season.State.RUNNING:
        raise Refused(_("Only who plays in a running season can withdraw from it."))
    now = present.now()
    _put_out(entry, Entry.State.WITHDRAWN, reason, now)
    write_down(Deed.Kind.WITHDREW, season, entry.user, touched=[entry.user], reason=reason)
    _leave(season, entry.user, Vacancy.Why.WITHDRAWN, note, now)


@transaction.atomic
def expel(entry: Entry, by: User, reason: str) -> None:
    """An organiser has somebody play no more in this season, and help no more; he is told why. Twice is once.

    Raises Refused for who is out already and for oneself, and as all that organisers do.
    """
    season = locked_season(entry.season_id)
    require_organiser(season.league, by)
    entry = Entry.objects.select_related("user").get(pk=entry.pk)
    if entry.state == Entry.State.EXPELLED:
        return
    _require_expellable(entry, season, by)
    reason, now = cleaned_reason(reason), present.now()
    _put_out(entry, Entry.State.EXPELLED, reason, now)
    write_down(Deed.Kind.EXPELLED, season, by, touched=[entry.user], reason=reason)
    _leave(season, entry.user, Vacancy.Why.EXPELLED, "", now)
    move_up(season, now)
    put_off(season)


def _require_expellable(entry: Entry, season: Season, by: User) -> None:
    if season.state in (Season.State.CLOSED, Season.State.CALLED_OFF):
        raise Refused(_("This season is over."))
    if entry.user_id == by.pk:
        raise Refused(_("You cannot expel yourself; leave the season, or withdraw from it."))
    if entry.is_out:
        raise Refused(_("This person is out of the season already."))


def _put_out(entry: Entry, state: Entry.State, reason: str, now: datetime) -> None:
    entry.state, entry.reason, entry.out_at = state, reason, now
    entry.save(update_fields=["state", "reason", "out_at"])


def _leave(season: Season, user: User, why: Vacancy.Why, note: str, now: datetime) -> None:
    """His offer to help, and each seat he holds at a running table of the season, be it as a substitute."""
    stop_helping(season, user)
    for table in list(_running().filter(round__division__season=season, table__seats__user=user)):
        seat = _given_up(table, user)
        if seat is not None:
            _seek(table, seat, user, why, now, note)


def _running() -> QuerySet[LeagueTable]:
    """The tables that are played at, in the order in which their games are locked."""
    playing = LeagueTable.objects.filter(collected_at=None, table__state=Table.State.PLAYING)
    return playing.select_related("table").order_by("pk")


def _given_up(table: LeagueTable, user: User) -> int | None:
    """The number of the seat that is a bot's from now on; None where all is over, or was with this."""
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
    table: LeagueTable, seat: int, user: User | None, why: Vacancy.Why, now: datetime, note: str = ""
) -> None:
    vacancy = vacancy_now(seek(table, seat, user, why, now, note))
    ask_somebody(vacancy, now)


# What players do on the pages of their games


def notice_absences(now: datetime) -> int:
    """The tick: for seats at running tables that were given up, or whose players stay away, somebody is
    sought; and nobody any more where a player is back or the table is over. Returns how many seats."""
    left = for_each(list(_seats_left()), _noticed, now)
    return left + for_each(_searches_that_may_end(), _closed_if_needless, now)


def _seats_left() -> Iterator[Seat]:
    """The seats that bots play and for which nobody has been sought yet."""
    tables = {table.table_id: table for table in _running().filter(_has_bot())}
    played = Seat.objects.filter(~Q(bot="") | ~Q(stand_in=""), table__in=tables)
    for seat in played.order_by("table", "number"):
        if not is_settled(tables[seat.table_id], seat):
            yield seat


def _has_bot() -> Exists:
    seats = Seat.objects.filter(~Q(bot="") | ~Q(stand_in=""), table=OuterRef("table"))
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
    why = Vacancy.Why.LEFT if seat.bot else Vacancy.Why.AWAY
    _seek(table, seat.number, left_by(seat), why, now)
    return True


def _searches_that_may_end() -> QuerySet[Vacancy]:
    seats = Seat.objects.filter(table=OuterRef("table__table"), number=OuterRef("seat"))
    is_back = Exists(seats.filter(user__isnull=False, stand_in=""))
    over = ~Q(table__table__state=Table.State.PLAYING)
    called_off = ~Q(table__round__division__season__state=Season.State.RUNNING)
    return Vacancy.objects.filter(over | called_off | is_back, state__in=SOUGHT).order_by("pk")


@transaction.atomic
def _closed_if_needless(vacancy: Vacancy, now: datetime) -> bool:
    locked_season(season_number_of(vacancy))
    vacancy = vacancy_now(vacancy)
    if vacancy.state not in SOUGHT or is_needed(vacancy):
        return False
    close(vacancy, now)
    return True
