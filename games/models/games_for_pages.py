"""Games read for pages: with their table, seats, players and the newest rows noted with their logs."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

from django.db.models import (
    F,
    FilteredRelation,
    Func,
    Model,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    prefetch_related_objects,
)

from accounts.mail.models import SuppressedAddress
from accounts.models import Holiday
from games.models import (
    Game,
    Invitation,
    Proposal,
    Seat,
    SeatChange,
    SharedHour,
    Table,
    TimeEvent,
)

if TYPE_CHECKING:
    from accounts.models import User


def games_to_show() -> QuerySet[Game]:
    """Return games to tell, with what else a page's version is made of."""
    return _games_to_show().all()


@cache  # building it takes longer than the database needs for it
def _games_to_show() -> QuerySet[Game]:
    later = Game.objects.filter(table=OuterRef("table")).order_by("-number")
    return games_to_tell().annotate(  # type: ignore[no-redef]
        newest_hour=_newest(SharedHour, table="table"),
        last_number=Subquery(later.values("number")[:1]),
        accepted=Subquery(Proposal.objects.filter(game=OuterRef("pk"), closed_at=None).values("accepted")),
    )


def games_to_tell() -> QuerySet[Game]:
    """Return games with their tables and the newest rows noted with their logs."""
    return _games_to_tell().all()


@cache
def _games_to_tell() -> QuerySet[Game]:
    games = Game.objects.select_related("table")
    return games.annotate(  # type: ignore[no-redef]  # 0 in games that are read without
        newest_time_event=_newest(TimeEvent, game="pk"),
        newest_change=_newest(SeatChange, game__table="table"),
        newest_proposal=_newest(Proposal, game="pk"),
    )


def _newest(model: type[Model], **of: str) -> Subquery:
    rows = model._default_manager.filter(**{name: OuterRef(field) for name, field in of.items()})
    return Subquery(rows.order_by("-pk").values("pk")[:1])


def game_with_roster(number: int, reader: User) -> Game | None:
    """Return the game with its table and all its seats, prefetched; None if there is no such game.

    With it are read the number of games that wait for the reader, their note, and how far they have read.
    """
    asked = Seat.objects.asked(reader).order_by().annotate(number_of=Func("pk", function="COUNT"))
    counted = Subquery(asked.values("number_of"))
    note = FilteredRelation("notes", condition=Q(notes__user=reader))
    marker = FilteredRelation("table__read_markers", condition=Q(table__read_markers__user=reader))
    own = {"marked_number": F("own_marker__number"), "marked_step": F("own_marker__step")}
    games = games_to_show().filter(pk=number).annotate(own_note=note, own_marker=marker)
    games = games.annotate(waiting_for_reader=counted, note_of_reader=F("own_note__text"), **own)  # type: ignore[no-redef]
    game = _only(games)
    if game is not None:
        _read_seats(game.table, _seats_to_show())
    return game


def game_to_show(**which: Any) -> Game | None:
    """Return the game that these lookups find, with its table and all its seats; None if there is none."""
    game = _only(games_to_show().filter(**which))
    if game is not None:
        read_roster(game.table)
    return game


def _only(games: QuerySet[Game]) -> Game | None:
    """Return the one game. Not by `first()`: for its order, Django compares all columns that are read."""
    return next(iter(games), None)


def read_roster(table: Table) -> None:
    """Read the table's seats and users, so that `table.all_seats()` needs no further query."""
    _read_seats(table, seats_with_players())


def _read_seats(table: Table, seats: QuerySet[Seat]) -> None:
    prefetch_related_objects([table], Prefetch("seats", seats.all()))
    note_holidays(table.all_seats())


def note_holidays(seats: Iterable[Seat]) -> None:
    """Note at the users of these seats whether they have no holidays, as the seats were read with them."""
    for seat in seats:
        if seat.user is not None:
            seat.user.has_no_holidays = seat.holiday is None


@cache
def seats_with_players() -> QuerySet[Seat]:
    """Return seats with their users and a holiday of each, past or announced; in no order.

    For Django to add an order to so many columns takes longer than to sort a few rows.
    """
    holiday = Holiday.objects.filter(user=OuterRef("user")).order_by().values("pk")[:1]
    seats = Seat.objects.select_related("user").order_by()
    return seats.annotate(holiday=Subquery(holiday))  # type: ignore[no-redef]


@cache
def _seats_to_show() -> QuerySet[Seat]:
    # Not by Exists: PostgreSQL might then read all invitations and all suppressed addresses.
    sent = Invitation.objects.filter(seat=OuterRef("pk"), state=Invitation.State.SENT).values("pk")[:1]
    failing = SuppressedAddress.objects.filter(address=OuterRef("user__email")).values("pk")[:1]
    return seats_with_players().annotate(  # type: ignore[no-redef]
        sent_offer=Subquery(sent), suppression=Subquery(failing)
    )
