"""What a page or letter shows of a circle: who reads it, who said what and when. Reads only."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.names import FORMER_PLAYER
from games.company import company_at
from games.models import Table
from games.press.access import Reader, why_silent
from games.press.forms import MessageForm
from games.press.links import circle_path
from games.press.models import Circle, Message, newest_messages
from games.press.said import Said, said_in
from games.telling.narration import and_list

MOST_ON_A_PAGE = 20


@dataclass(frozen=True)
class Line:
    """One message with the name its reader knows the writer by."""

    message: Message
    name: str
    is_mine: bool
    is_new: bool = False  # came since its reader's last visit
    said: Said | None = None  # what the table says; None: its author's own words

    @property
    def kept_by(self) -> Hashable:
        """All that is shown of it."""
        message = self.message
        words = (message.number, message.html, message.written_at, self.name)
        return *words, self.is_mine, self.is_new, self.said


@dataclass(frozen=True)
class Board:
    """The newest messages of a circle, or those before one of them, the oldest first."""

    table: Table
    circle: Circle
    title: str
    readers: str  # a sentence: who reads what is written here
    page: str  # the address of the circle's own page for this visitor, where he writes too
    lines: tuple[Line, ...]
    earlier: int | None  # messages before this one are left out; None: there are none
    is_newest: bool
    form: MessageForm | None  # None: this visitor cannot write
    silent: str = ""  # why nobody writes here now

    @property
    def newest(self) -> int:
        """The number of the last message shown."""
        return self.lines[-1].message.number if self.lines else 0

    @property
    def kept_by(self) -> Hashable:
        """What its messages are shown from."""
        return self.page, self.earlier, *(line.kept_by for line in self.lines)


def board_of(
    circle: Circle,
    reader: Reader,
    form: MessageForm | None = None,
    before: int = 0,
    *,
    page: str = "",
    read_before: int | None = None,
) -> Board:
    """The circle as this visitor reads it; `form` is one that was filled in before.

    `page` is the circle's address for who came by a link: he turns the pages by its key. What came after
    `read_before` is marked as new.
    """
    newest = newest_messages(circle, MOST_ON_A_PAGE + 1, before)
    shown = newest[:MOST_ON_A_PAGE][::-1]
    silent = why_silent(circle, reader.table) if reader.seat else ""
    return Board(
        reader.table,
        circle,
        circle_title(circle, reader),
        readers_told(circle, reader),
        page or circle_path(circle),
        lines_of(circle, reader, shown, read_before),
        shown[0].number if len(newest) > MOST_ON_A_PAGE else None,
        not before,
        None if reader.seat is None or silent else form or new_form(circle),
        silent,
    )


def lines_of(
    circle: Circle, reader: Reader, messages: Sequence[Message], read_before: int | None = None
) -> tuple[Line, ...]:
    """The messages with names as their reader may see them; who is no longer at the table has none."""
    names = _names(reader)
    said = said_in(messages, reader, names)
    viewer_id = reader.user.pk if reader.user else None

    def line(message: Message) -> Line:
        is_mine = message.author_id is not None and message.author_id == viewer_id
        is_new = read_before is not None and message.number > read_before
        name = names.get(message.author_id, _(FORMER_PLAYER))
        return Line(message, name, is_mine, is_new and not is_mine, said.get(message.number))

    return tuple(map(line, messages))


def _names(reader: Reader) -> dict[int | None, str]:
    named = company_at(reader.table, reader.user).named
    return {seat.user_id: name for seat, name in named if seat.user_id}


def circle_title(circle: Circle, reader: Reader) -> str:
    """What the circle is called to this reader: of a private one, with whom he talks."""
    match Circle.Kind(circle.kind):
        case Circle.Kind.TABLE:
            return _("Talk at the table")
        case Circle.Kind.EPILOGUE:
            return _("Epilogue")
    return _("With %(names)s") % {"names": and_list(others_in(circle, reader))}


def others_in(circle: Circle, reader: Reader) -> list[str]:
    """The names of a private circle's people but the reader, in the order of their seats."""
    names, me = _names(reader), reader.user.pk if reader.user else None
    members = {member.user_id for member in circle.members.all()}
    here = [name for user, name in names.items() if user in members and user != me]
    gone = sum(user not in names for user in members)
    return here + [_(FORMER_PLAYER)] * gone


def readers_told(circle: Circle, reader: Reader) -> str:
    """Who reads what is written here, in a sentence that stands with every form and every letter."""
    if circle.is_private:
        return _private_readers(circle, reader)
    told = _("Everybody at the table reads what is written here, also whoever sits down later.")
    return f"{told} {_watchers_told(reader.table)}".rstrip()


def _private_readers(circle: Circle, reader: Reader) -> str:
    names = and_list(others_in(circle, reader))
    if circle.opened_at is not None:
        return _("This was written among %(names)s, and opened to the table afterwards.") % {"names": names}
    return _("Only %(names)s and you read what is written here.") % {"names": names}


def _watchers_told(table: Table) -> str:
    if not table.watchers_read:
        return ""
    match Table.Watch(table.watch):
        case Table.Watch.ANYONE:
            return _(
                "Anyone may watch this table, and whoever does reads it too, also what was written before "
                "the game."
            )
        case Table.Watch.LINK:
            return _("Whoever has the watching link reads it too, also what was written before the game.")
    return ""


@dataclass(frozen=True)
class CircleRow:
    """One circle in the list of a reader's circles."""

    title: str
    page: str
    unread: int
    is_here: bool = False

    @property
    def kept_by(self) -> Hashable:
        return self.title, self.page, self.unread, self.is_here


def circle_rows(reader: Reader, here: Circle | None = None) -> tuple[CircleRow, ...]:
    """All circles that somebody at the table reads, with what he has not read in each."""
    return tuple(
        CircleRow(circle_title(circle, reader), circle_path(circle), circle.unread, circle == here)
        for circle in reader.circles
    )


def new_form(circle: Circle, back: str = "", text: str = "") -> MessageForm:
    """A form that knows what had been said when it was shown; empty but for `text`."""
    return MessageForm(initial={"text": text, "after": circle.newest, "back": back})
