"""Who may read and write in which channels of a table, and who is banned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from django.db.models import F, Q, QuerySet, prefetch_related_objects
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from games.access import seats_by_link
from games.chat.links import read_chat_token, read_deal_token
from games.chat.models import EPILOGUE, Ban, Channel, Deal, Message
from games.links import BadLink
from games.models import Game, Seat, Table
from games.models.replay import read_roster
from games.narration.roster import roster_at
from games.narration.times import moment

SILENCED, LIFTED = "on", "off"  # what a message of the table tells of one


def ban_event(what: str, number: int) -> str:
    """How a message names the silence it tells of; no reader sees it."""
    return f"{what}:{number}"


def ban_of_event(message: Message) -> tuple[str, int]:
    """What this message tells, and of which silence."""
    what, _colon, number = message.event.partition(":")
    return what, int(number)


def bans_in_force(silences: QuerySet[Ban] | None = None) -> QuerySet[Ban]:
    """Those that have neither ended nor been lifted."""
    found = Ban.objects.all() if silences is None else silences
    return found.filter(Q(until=None) | Q(until__gt=clock.now()), lifted_at=None)


def ban_of(user: User | None, table: Table) -> Ban | None:
    """Why this person may not write at the table now, or at any: what lasts longest."""
    if user is None:
        return None
    longest_first = F("until").desc(nulls_first=True), "pk"
    return bans_in_force().filter(Q(table=table) | Q(table=None), whom=user).order_by(*longest_first).first()


def why_banned(silence: Ban | None) -> str:
    """A sentence with the reason he was given and until when; empty for none."""
    if silence is None:
        return ""
    words = {"reason": silence.reason, "until": moment(silence.until) if silence.until else ""}
    if silence.table_id is None:
        return _everywhere(silence) % words
    if silence.until is None:
        return _("You have been silenced at this table until that is lifted. The reason: %(reason)s") % words
    return _("You have been silenced at this table until %(until)s. The reason: %(reason)s") % words


def _everywhere(silence: Ban) -> str:
    if silence.until is None:
        return _(
            "An operator of this site has silenced you at all tables until that is lifted. "
            "The reason: %(reason)s"
        )
    return _(
        "An operator of this site has silenced you at all tables until %(until)s. The reason: %(reason)s"
    )


# Who may read which circles of a table, and who may write in them now. What one may not know exists
# answers 404.


IN_BATTLE = "battle"  # the phase of a game


@dataclass(frozen=True)
class Reader:
    """Who reads the talk of a table: somebody who sits there, a watcher, or neither."""

    table: Table
    user: User | None = None
    seat: Seat | None = None
    is_let_in: bool = False  # by a watching link
    by_link: bool = False  # an email's, or as an email: every link goes on without signing in

    @property
    def reads_public(self) -> bool:
        """Whether the circles of the whole table are open to him. A guest's table has no talk."""
        if self.table.is_practice:
            return False
        watches = self.is_let_in or self.table.watch == Table.Watch.ANYONE
        return self.seat is not None or (watches and self.table.watchers_read)

    @cached_property
    def circles(self) -> tuple[Channel, ...]:
        """All he may read: the table's, its epilogue, then the private ones, the oldest first."""
        stored = self._stored
        public = [stand_in for stand_in in _public_circles(self.table) if self.reads_public]
        kept = {circle.slug: circle for circle in stored}
        return (
            *(kept.get(circle.slug, circle) for circle in public),
            *(circle for circle in stored if circle.is_private),
        )

    @cached_property
    def names(self) -> dict[int | None, str]:
        """What the people at the table are called, in the order of their seats, as he may see them."""
        named = roster_at(self.table, self.user).named
        return {seat.user_id: name for seat, name in named if seat.user_id}

    @property
    def why_no_circle(self) -> str:
        """Why he cannot begin to talk with some of the table now; empty where he can."""
        silent = self.why_silent(Channel(table=self.table, kind=Channel.Kind.PRIVATE))
        if silent or any(user not in (None, self._me) for user in self.names):
            return silent
        return _("Nobody else at this table can talk with you: bots do not.")

    @property
    def _me(self) -> int | None:
        return self.user.pk if self.user is not None else None

    def is_in(self, circle: Channel) -> bool:
        """Whether it is his own: that of a table he sits at, or one whose people he is one of."""
        if self.seat is None or not circle.is_private:
            return self.seat is not None
        return any(member.user_id == self._me for member in circle.members.all())

    def circle(self, slug: str) -> Channel | None:
        """The circle of this address, if he may read it."""
        return next((circle for circle in self.circles if circle.slug == slug), None)

    @property
    def main_circle(self) -> Channel | None:
        """Where the whole table talks now; None for who may not read it."""
        return self.circle(public_slug(self.table))

    def why_silent(self, circle: Channel) -> str:
        """Why he may not write in this circle now; empty where he may."""
        return why_silent(circle, self.table) or self._why_silenced

    @cached_property
    def _why_silenced(self) -> str:
        return why_banned(ban_of(self.user, self.table)) if self.seat is not None else ""

    @cached_property
    def _stored(self) -> list[Channel]:
        if not self.reads_public:
            return []
        me = self._me if self.seat is not None else None
        circles = list(self.table.circles.readable_by(me).with_read_to(me).order_by("pk"))
        prefetch_related_objects([circle for circle in circles if circle.is_private], "members")
        return circles


def _public_circles(table: Table) -> tuple[Channel, ...]:
    """They are there for everybody from the first, and stored with the first message."""
    circles = [Channel(table=table, kind=Channel.Kind.TABLE)]
    if is_over(table):
        circles.append(Channel(table=table, kind=Channel.Kind.EPILOGUE, slug=EPILOGUE))
    return tuple(circles)


def public_slug(table: Table) -> str:
    """The address of the circle where the whole table talks now."""
    return EPILOGUE if is_over(table) else ""


def is_over(table: Table) -> bool:
    """Whether all that was to be played there has been played: its talk goes on in the epilogue."""
    return table.state == Table.State.FINISHED


def is_closed(table: Table) -> bool:
    """Whether nobody may write any more, because nothing was ever played."""
    return table.state == Table.State.CALLED_OFF


def why_silent(circle: Channel, table: Table) -> str:
    """Why nobody may write in this circle now; empty where people may."""
    if is_closed(table):
        return _("This table is closed: nobody can write here any more.")
    if circle.is_epilogue:
        return ""
    if is_over(table):
        return _("The game is over: the table talks in the epilogue now.")
    return _why_terms_forbid(circle, table) or _why_alone(circle, table)


def allows_private_talk(table: Table) -> bool:
    """Whether its terms allow talk among a part of it at all, be it now or when a battle is over."""
    is_silent = is_over(table) or is_closed(table) or table.veil == Table.Veil.COMPANY
    return table.talk in (Table.Talk.ALL, Table.Talk.BETWEEN) and not is_silent


def _why_terms_forbid(circle: Channel, table: Table) -> str:
    if table.veil == Table.Veil.COMPANY:
        return _("Nobody knows who is who at this table: its talk begins with the game.")
    match Table.Talk(table.talk):
        case Table.Talk.NONE if not table.is_gathering:
            return _("The terms of this table allow no talk while it plays.")
        case Table.Talk.PUBLIC | Table.Talk.NONE if circle.is_private:
            return _("The terms of this table allow no talk among a part of it.")
        case Table.Talk.BETWEEN if _is_fighting(table):
            return _("The terms of this table allow no talk during a battle. Write when it is over.")
    return ""


def _is_fighting(table: Table) -> bool:
    return Game.objects.running().filter(table=table, phase=IN_BATTLE).exists()


def _why_alone(circle: Channel, table: Table) -> str:
    """A private circle whose other people have all left is read by nobody."""
    if not circle.is_private or circle.pk is None or len(still_in(circle, table)) > 1:
        return ""
    return _("Nobody else of this circle is at the table any more, so nobody would read what you write.")


def may_be_opened(circle: Channel, table: Table) -> bool:
    """Whether a circle is of those that their people may open to the table: private, and after the end."""
    return circle.is_private and circle.opened_at is None and is_over(table)


def why_never_opened(circle: Channel, table: Table) -> str:
    """Who has left, or was deleted, cannot be asked, and nobody opens his words for him."""
    if len(still_in(circle, table)) == len(circle.members.all()):
        return ""
    return _("Somebody who talked here has left and cannot be asked, so it stays closed to the others.")


def still_in(circle: Channel, table: Table) -> set[int]:
    """The people of a private circle who sit at its table still."""
    seated = {seat.user_id for seat in table.all_seats()}
    return {member.user_id for member in circle.members.all() if member.user_id and member.user_id in seated}


def seat_at(table: Table, viewer: User | None) -> Seat | None:
    """The viewer's seat at the table, which lets him read and write."""
    if viewer is None:
        return None
    return next((seat for seat in table.all_seats() if seat.user_id == viewer.pk), None)


def reader_at(table: Table, viewer: User | None) -> Reader:
    """Who somebody is to the talk of a table, whose seats are read once for all that is told of it."""
    if "seats" not in getattr(table, "_prefetched_objects_cache", {}):
        read_roster(table)
    return Reader(table, viewer, seat_at(table, viewer))


def get_channel_of(request: HttpRequest, table_id: int, slug: str) -> tuple[Channel, Reader]:
    """The circle that the visitor may read, and who he is to it. Raises Http404."""
    table = get_object_or_404(Table, pk=table_id)
    reader = reader_at(table, person(request))
    circle = reader.circle(slug)
    if circle is None:
        raise Http404
    return circle, reader


def get_link_channel(token: str) -> tuple[Channel, Reader]:
    """The circle that a letter's link reads and writes in, as one person; it opens no other.

    Raises BadLink, also once the person has left the table.
    """
    seat_id, user_id, slug = read_chat_token(token)
    reader = _reader_by_link(seat_id, user_id)
    circle = reader.circle(slug)
    if circle is None:
        raise BadLink
    return circle, reader


def get_link_deal(token: str) -> tuple[Deal, Reader]:
    """The deal that an email's link shows to one person, who may answer it there.

    Raises BadLink, also once the person may not read where it was proposed.
    """
    deal_id, seat_id, user_id = read_deal_token(token)
    reader = _reader_by_link(seat_id, user_id)
    deals = Deal.objects.select_related("circle", "game").prefetch_related("parties", "pledges__verdicts")
    deal = deals.filter(pk=deal_id, circle__table=reader.table).first()
    if deal is None or reader.circle(deal.circle.slug) is None:
        raise BadLink
    return deal, reader


def _reader_by_link(seat_id: int, user_id: int) -> Reader:
    """The person an email's link was made for. Raises BadLink once they have left the table or the site."""
    # The seat they have by now: where nobody knows who is who, seats are drawn at the beginning.
    seat = seats_by_link().filter(table__seats=seat_id, user=user_id).first()
    if seat is None:
        raise BadLink
    return Reader(seat.table, seat.user, seat, by_link=True)


def person(request: HttpRequest) -> User | None:
    """Who is signed in, if anybody is."""
    return request.user if isinstance(request.user, User) else None
