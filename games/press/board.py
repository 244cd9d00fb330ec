"""What a page or letter shows of a table's talk: who wrote what and when. Reads only."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.names import FORMER_PLAYER
from games.company import company_at
from games.models import Seat, Seen, Table
from games.press.access import is_closed
from games.press.forms import MessageForm
from games.press.models import Message, newest_messages

MOST_ON_A_PAGE = 20


@dataclass(frozen=True)
class Line:
    """One message with the name its reader knows the writer by."""

    message: Message
    name: str
    is_mine: bool
    is_new: bool = False  # came since its reader's last visit

    @property
    def kept_by(self) -> Hashable:
        """All that is shown of it."""
        message = self.message
        return message.pk, message.html, message.written_at, self.name, self.is_mine, self.is_new


@dataclass(frozen=True)
class Board:
    """The newest messages of a table, or those before one of them, the oldest first."""

    table: Table
    page: str  # the address of the board's own page for this visitor, where he writes too
    lines: tuple[Line, ...]
    earlier: int | None  # messages before this one are left out; None: there are none
    is_newest: bool
    form: MessageForm | None  # None: this visitor cannot write

    @property
    def kept_by(self) -> Hashable:
        """What its messages are shown from."""
        return self.page, self.earlier, *(line.kept_by for line in self.lines)


def board_of(
    table: Table,
    viewer: User | None,
    seat: Seat | None,
    form: MessageForm | None = None,
    before: int = 0,
    *,
    page: str = "",
    read_before: Seen | None = None,
) -> Board:
    """The board as this visitor reads it; `form` is one that was filled in before.

    `page` is the board's address for who came by a link: he turns the pages by its key. What came after
    `read_before` is marked as new.
    """
    newest = newest_messages(table, MOST_ON_A_PAGE + 1, before)
    shown = newest[:MOST_ON_A_PAGE][::-1]
    return Board(
        table,
        page or reverse("talk", args=[table.pk]),
        lines_of(table, viewer, shown, read_before),
        shown[0].pk if len(newest) > MOST_ON_A_PAGE else None,
        not before,
        None if seat is None or is_closed(table) else form or new_form(seat),
    )


def lines_of(
    table: Table, viewer: User | None, messages: Iterable[Message], read_before: Seen | None = None
) -> tuple[Line, ...]:
    """The messages with names as `viewer` may see them; who is no longer at the table has none."""
    company = company_at(table, viewer)
    names: dict[int | None, str] = {seat.user_id: name for seat, name in company.named if seat.user_id}
    viewer_id = viewer.pk if viewer else None

    def line(message: Message) -> Line:
        is_mine = message.author_id is not None and message.author_id == viewer_id
        is_new = read_before is not None and message.pk > read_before.message
        return Line(message, names.get(message.author_id, _(FORMER_PLAYER)), is_mine, is_new and not is_mine)

    return tuple(map(line, messages))


def new_form(seat: Seat, back: str = "", text: str = "", after: int | None = None) -> MessageForm:
    """A form that knows what its writer had written before; empty but for `text`.

    `after` is his last message where it has been read already.
    """
    if after is None:
        last = Message.objects.filter(table=seat.table_id, author=seat.user_id).order_by("-pk").first()
        after = last.pk if last else 0
    return MessageForm(initial={"text": text, "after": after, "back": back})
