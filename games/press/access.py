"""Who may read which circles of a table, and who may write in them now. What one may not know exists
answers 404."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from accounts.composed import Statement
from accounts.models import User
from games.links import BadLink
from games.models import Game, Seat, Table
from games.press.links import read_talk_token
from games.press.models import EPILOGUE, Circle, Following, Member

IN_BATTLE = "battle"  # the phase of a game


@dataclass(frozen=True)
class Reader:
    """Who reads the talk of a table: somebody who sits there, a watcher, or neither."""

    table: Table
    user: User | None = None
    seat: Seat | None = None
    is_let_in: bool = False  # by a watching link

    @property
    def reads_public(self) -> bool:
        """Whether the circles of the whole table are open to him. A guest's table has no talk."""
        if self.table.is_practice:
            return False
        watches = self.is_let_in or self.table.watch == Table.Watch.ANYONE
        return self.seat is not None or (watches and self.table.watchers_read)

    @cached_property
    def circles(self) -> tuple[Circle, ...]:
        """All he may read: the table's, its epilogue, then the private ones, the oldest first."""
        stored = self._stored()
        public = [stand_in for stand_in in _public_circles(self.table) if self.reads_public]
        kept = {circle.slug: circle for circle in stored}
        return (
            *(kept.get(circle.slug, circle) for circle in public),
            *(circle for circle in stored if circle.is_private),
        )

    def circle(self, slug: str) -> Circle | None:
        """The circle of this address, if he may read it."""
        return next((circle for circle in self.circles if circle.slug == slug), None)

    @property
    def main_circle(self) -> Circle | None:
        """Where the whole table talks now; None for who may not read it."""
        return self.circle(main_slug(self.table))

    def _stored(self) -> list[Circle]:
        member = self.user.pk if self.user is not None and self.seat is not None else None
        public = self.reads_public
        found: dict[int, Circle] = {}
        members: dict[int, list[Member]] = {}
        for circle, one, follows in _CIRCLES.rows(member, self.table.pk, public, public, member):
            kept = found.setdefault(circle.pk, circle)
            kept.table, kept.read_to = self.table, follows.read_to if follows is not None else None
            if one is not None:
                members.setdefault(kept.pk, []).append(one)
        for circle in found.values():
            circle.has_read(members.get(circle.pk, []))
        return list(found.values())


# Every page of a table asks it.
_CIRCLES = Statement(
    "SELECT {circle}, {member}, {follows} FROM press_circle AS circle"
    " LEFT JOIN press_member AS member ON member.circle_id = circle.id"
    " LEFT JOIN press_following AS follows ON follows.circle_id = circle.id AND follows.user_id = %s"
    " WHERE circle.table_id = %s AND ((circle.kind <> 'private' AND %s)"
    " OR (circle.opened_at IS NOT NULL AND %s)"
    " OR EXISTS (SELECT 1 FROM press_member AS mine WHERE mine.circle_id = circle.id AND mine.user_id = %s))"
    " ORDER BY circle.id, member.id",
    circle=Circle,
    member=Member,
    follows=Following,
)


def _public_circles(table: Table) -> tuple[Circle, ...]:
    """They are there for everybody from the first, and stored with the first message."""
    circles = [Circle(table=table, kind=Circle.Kind.TABLE)]
    if is_over(table):
        circles.append(Circle(table=table, kind=Circle.Kind.EPILOGUE, slug=EPILOGUE))
    return tuple(circles)


def main_slug(table: Table) -> str:
    """The address of the circle where the whole table talks now."""
    return EPILOGUE if is_over(table) else ""


def is_over(table: Table) -> bool:
    """Whether all that was to be played there has been played: its talk goes on in the epilogue."""
    return table.state == Table.State.FINISHED


def is_closed(table: Table) -> bool:
    """Whether nobody may write any more, because nothing was ever played."""
    return table.state == Table.State.CALLED_OFF


def why_silent(circle: Circle, table: Table) -> str:
    """Why nobody may write in this circle now; empty where people may."""
    if is_closed(table):
        return _("This table is closed: nobody can write here any more.")
    if circle.is_epilogue:
        return ""
    if is_over(table):
        return _("The game is over: the table talks in the epilogue now.")
    return _why_terms_forbid(circle, table)


def _why_terms_forbid(circle: Circle, table: Table) -> str:
    match Table.Talk(table.talk):
        case Table.Talk.NONE if not table.is_gathering:
            return _("The terms of this table allow no talk while it plays.")
        case Table.Talk.PUBLIC | Table.Talk.NONE if circle.is_private:
            return _("The terms of this table allow no talk among a part of it.")
        case Table.Talk.BETWEEN if _is_fighting(table):
            return _("The terms of this table allow no talk during a battle. Write when it is over.")
    return ""


def _is_fighting(table: Table) -> bool:
    return Game.objects.filter(table=table, ended_at__isnull=True, phase=IN_BATTLE).exists()


def seat_at(table: Table, viewer: User | None) -> Seat | None:
    """The viewer's seat at the table, which lets him read and write."""
    if viewer is None:
        return None
    return next((seat for seat in table.all_seats() if seat.user_id == viewer.pk), None)


def reader_at(table: Table, viewer: User | None) -> Reader:
    """Who somebody is to the talk of a table."""
    return Reader(table, viewer, seat_at(table, viewer))


def get_circle_of(request: HttpRequest, table_id: int, slug: str) -> tuple[Circle, Reader]:
    """The circle that the visitor may read, and who he is to it. Raises Http404."""
    table = get_object_or_404(Table, pk=table_id)
    reader = reader_at(table, person(request))
    circle = reader.circle(slug)
    if circle is None:
        raise Http404
    return circle, reader


def get_link_circle(token: str) -> tuple[Circle, Reader]:
    """The circle that a letter's link reads and writes in, as one person; it opens no other.

    Raises BadLink, also once the person has left the table.
    """
    seat_id, user_id, slug = read_talk_token(token)
    seats = Seat.objects.select_related("table", "user")
    seat = seats.filter(pk=seat_id, user=user_id, user__is_active=True).first()
    if seat is None:
        raise BadLink
    reader = Reader(seat.table, seat.user, seat)
    circle = reader.circle(slug)
    if circle is None:
        raise BadLink
    return circle, reader


def person(request: HttpRequest) -> User | None:
    """Who is signed in, if anybody is."""
    return request.user if isinstance(request.user, User) else None
