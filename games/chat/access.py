"""Access of readers to the channels of a table. Anything that a visitor may not know about answers 404."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from django.db.models import Q
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.names import FORMER_PLAYER
from games.access import get_watched_table, reader_of, seats_by_link
from games.chat.bans import ban_of, why_banned
from games.chat.links import read_chat_token, read_deal_token
from games.chat.models import EPILOGUE, Channel, Deal, DealParty
from games.chat.writing import is_fighting, is_over, is_writer, public_slug, why_silent
from games.links import BadLink
from games.models import Game, Seat, Table
from games.models.games_for_pages import read_roster
from games.narration.roster import roster_at
from games.rules import Phase


@dataclass(frozen=True)
class Reader:
    """A reader of a table's chat: a player at the table, a spectator, or neither."""

    table: Table
    user: User | None = None
    seat: Seat | None = None
    is_let_in: bool = False  # by a spectator link
    by_link: bool = False  # in an email or opened from one: links must work without signing in
    is_addressed: bool = True  # as "you"; False for texts that others read too
    game: Game | None = None  # at the table, if a page has read one

    @property
    def watches(self) -> bool:
        """Return whether the reader may watch the table without a seat."""
        return self.is_let_in or self.table.watch == Table.Watch.ANYONE

    @property
    def reads_public(self) -> bool:
        """Return whether the public channels are open to the reader. A practice table has no chat."""
        if self.table.is_practice:
            return False
        return self.seat is not None or (self.watches and self.table.spectators_read)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """Return all channels the reader may read.

        The public channel comes first, then the epilogue, then the private channels, oldest first.
        """
        stored = self._stored
        public = list(_public_channels(self.table)) if self.reads_public else []
        kept = {channel.slug: channel for channel in stored}
        return (
            *(kept.get(channel.slug, channel) for channel in public),
            *(channel for channel in stored if channel.is_private),
        )

    @cached_property
    def names(self) -> dict[int | None, str]:
        """Return the names of the people at the table in seat order, as the reader may see them."""
        return {seat.user_id: name for seat, name in self._named if seat.user_id}

    @cached_property
    def _named(self) -> list[tuple[Seat, str]]:
        return roster_at(self.table, self.user).named

    def name_of(self, user_id: int | None) -> str:
        """Return the name of one of the people. People who have left the table have none."""
        return self.names.get(user_id, _(FORMER_PLAYER))

    def is_you(self, user_id: int | None) -> bool:
        """Return whether sentences about this person address the reader."""
        return self.is_addressed and self.seat is not None and user_id is not None and user_id == self.user_id

    @property
    def others(self) -> list[tuple[str, str]]:
        """Return the other people at the table as form choices, by seat number."""
        return [
            (str(seat.number), name)
            for seat, name in self._named
            if seat.user is not None and seat.user.is_active and seat != self.seat
        ]

    def seats_chosen(self, numbers: Collection[str]) -> list[Seat]:
        """Return the seats that were chosen in a form, by seat number."""
        return [seat for seat in self.table.all_seats() if str(seat.number) in numbers]

    @property
    def why_no_channel(self) -> str:
        """Return why the reader can't begin a private channel now; empty if they can."""
        silent = self.why_silent(Channel(table=self.table, kind=Channel.Kind.PRIVATE))
        if silent or set(self.names) - {self.user_id}:
            return silent
        return _("There is no one else to chat with at this table. Bots don’t chat.")

    @property
    def user_id(self) -> int | None:
        """Return the reader's user number."""
        return self.user.pk if self.user is not None else None

    def is_in(self, channel: Channel) -> bool:
        """Return whether the reader belongs to the channel.

        Players belong to the public channels of their table, and to private channels as members.
        """
        if self.seat is None or not channel.is_private:
            return self.seat is not None
        return any(member.user_id == self.user_id for member in channel.all_members)

    def channel(self, slug: str) -> Channel | None:
        """Return the channel with this slug, if the reader may read it."""
        return next((channel for channel in self.channels if channel.slug == slug), None)

    @cached_property
    def main_channel(self) -> Channel | None:
        """Return the public channel in use now; None if the reader may not read it."""
        return self.channel(public_slug(self.table))

    def is_writer(self, channel: Channel) -> bool:
        """Return whether the reader is one of those who write in this channel, now or at other times."""
        return is_writer(channel, self.table, self.user)

    def why_silent(self, channel: Channel) -> str:
        """Return why the reader, one of its writers, may not write in this channel now; empty if they may."""
        return why_silent(channel, self.table, lambda: self._is_fighting) or self._why_banned

    def may_write(self, channel: Channel) -> bool:
        """Return whether the reader may write in this channel now."""
        return self.is_writer(channel) and not self.why_silent(channel)

    @cached_property
    def _is_fighting(self) -> bool:
        """Return whether a battle is going on at the table: in the game that was read, if that runs."""
        if self.game is None or self.game.is_over:
            return is_fighting(self.table)
        return self.game.phase == Phase.BATTLE

    @cached_property
    def _why_banned(self) -> str:
        return why_banned(ban_of(self.user, self.table)) if self.seat is not None else ""

    @cached_property
    def _stored(self) -> list[Channel]:
        if not self.reads_public:
            return []
        me = self.user_id if self.seat is not None else None
        return self.table.channels.readable_by(me).with_last_read(me).with_members()

    @cached_property
    def deals_waiting(self) -> int:
        """Return how many proposals wait for the reader's answer; no query where no one has written yet."""
        if self.seat is None or not self._stored:
            return 0
        open_deals = Q(deal__state=Deal.State.PROPOSED, deal__game__ended_at=None)
        unanswered = DealParty.objects.filter(user=self.user_id, answer=DealParty.Answer.OPEN)
        return unanswered.filter(open_deals, deal__channel__in=self._stored).count()


def _public_channels(table: Table) -> tuple[Channel, ...]:
    """Return the public channels, which everyone has from the start.

    They are stored with their first message.
    """
    channels = [Channel(table=table, kind=Channel.Kind.TABLE)]
    if is_over(table):
        channels.append(Channel(table=table, kind=Channel.Kind.EPILOGUE, slug=EPILOGUE))
    return tuple(channels)


def seat_at(table: Table, viewer: User | None) -> Seat | None:
    """Return the viewer's seat at the table, which lets them read and write."""
    if viewer is None:
        return None
    return next((seat for seat in table.all_seats() if seat.user_id == viewer.pk), None)


def reader_at(table: Table, viewer: User | None, game: Game | None = None) -> Reader:
    """Return the viewer as a reader of the table's chat; `game` is one of the table, if it was read.

    The table's seats are read once, for everything that is shown of its chat.
    """
    if "seats" not in getattr(table, "_prefetched_objects_cache", {}):
        read_roster(table)
    return Reader(table, viewer, seat_at(table, viewer), game=game)


def get_spectator(key: str) -> Reader:
    """Return a visitor with the table's spectator link. Raises Http404."""
    table = get_watched_table(key)
    read_roster(table)
    return Reader(table, is_let_in=True)


def get_seated_reader(request: HttpRequest, table_id: int) -> Reader:
    """Return the visitor if they sit at this table and it has a chat. Raises Http404 otherwise."""
    reader = reader_at(get_object_or_404(Table, pk=table_id), reader_of(request))
    if reader.seat is None or not reader.channels:
        raise Http404
    return reader


def get_channel_of(request: HttpRequest, table_id: int, slug: str) -> tuple[Channel, Reader]:
    """Return a channel the visitor may read, and the visitor as its reader. Raises Http404."""
    table = get_object_or_404(Table, pk=table_id)
    reader = reader_at(table, reader_of(request))
    channel = reader.channel(slug)
    if channel is None:
        raise Http404
    return channel, reader


def get_link_channel(token: str) -> tuple[Channel, Reader]:
    """Return the one channel that an email's link opens, and its reader.

    Raises BadLink, also after the person has left the table.
    """
    seat_id, user_id, slug = read_chat_token(token)
    reader = _reader_by_link(seat_id, user_id)
    channel = reader.channel(slug)
    if channel is None:
        raise BadLink
    return channel, reader


def get_link_deal(token: str) -> tuple[Deal, Reader]:
    """Return the deal that an email's link shows, and its reader, who may answer it there.

    Raises BadLink, also if the person may no longer read the deal's channel.
    """
    deal_id, seat_id, user_id = read_deal_token(token)
    reader = _reader_by_link(seat_id, user_id)
    deals = Deal.objects.select_related("channel", "game").prefetch_related("parties", "promises__verdicts")
    deal = deals.filter(pk=deal_id, channel__table=reader.table).first()
    if deal is None or reader.channel(deal.channel.slug) is None:
        raise BadLink
    return deal, reader


def _reader_by_link(seat_id: int, user_id: int) -> Reader:
    """Return the person an email's link was made for. Raises BadLink if they left the table or the site."""
    # Use their current seat: at anonymous tables, seats are drawn when the game begins.
    seat = seats_by_link().filter(table__seats=seat_id, user=user_id).first()
    if seat is None:
        raise BadLink
    read_roster(seat.table)
    return Reader(seat.table, seat.user, seat, by_link=True)
