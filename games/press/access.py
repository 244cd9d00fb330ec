"""Who may read a table's board and who may write on it. What one may not know exists answers 404."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from accounts.models import User
from games.links import BadLink
from games.models import Seat, Table
from games.press.links import read_talk_token


def seat_at(table: Table, viewer: User | None) -> Seat | None:
    """The viewer's seat at the table, which lets him read and write."""
    if viewer is None:
        return None
    return next((seat for seat in table.all_seats() if seat.user_id == viewer.pk), None)


def may_read(table: Table, seat: Seat | None) -> bool:
    """Those at the table, and everybody where the table lets anyone watch. A guest's table has no board."""
    return not table.is_practice and (seat is not None or table.watch == Table.Watch.ANYONE)


def is_closed(table: Table) -> bool:
    """Whether nobody may write any more."""
    return table.state == Table.State.CALLED_OFF


def get_board_of(request: HttpRequest, table_id: int) -> tuple[Table, Seat | None]:
    """The table whose board the visitor may read, and the seat he may write from. Raises Http404."""
    table = get_object_or_404(Table, pk=table_id)
    seat = seat_at(table, person(request))
    if not may_read(table, seat):
        raise Http404
    return table, seat


def get_link_seat(token: str) -> Seat:
    """The seat that a letter's link reads and writes from. Raises BadLink, also once the person has left."""
    seat_id, user_id = read_talk_token(token)
    seat = (
        Seat.objects.select_related("table", "user")
        .filter(pk=seat_id, user=user_id, user__is_active=True)
        .first()
    )
    if seat is None:
        raise BadLink
    return seat


def person(request: HttpRequest) -> User | None:
    """Who is signed in, if anybody is."""
    return request.user if isinstance(request.user, User) else None
