"""Read a club's own list of players: addresses, names and divisions in any order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.addresses import is_address, normal_address, readable_address
from accounts.names import clean_name
from games.leagues.services.player_list_columns import LETTERS, ListColumns, level_of, meaning_of
from games.leagues.services.player_list_rows import (
    MOST_BYTES,
    MOST_LINES,
    BadRows,
    Line,
    ListRow,
    rows_of,
    shown,
    too_long,
)

MOST_ROWS = 200  # as many as an organiser may invite in a day


@dataclass(frozen=True, slots=True)
class Listed:
    """Someone to invite, with the details for their invitation, and the line of the list they are on."""

    line: int
    email: str
    name: str = ""
    level: int | None = None


@dataclass(slots=True)
class PlayerList:
    """A list as it was read: whom to invite, lines left out with the reason, and what else to know."""

    players: list[Listed] = field(default_factory=list)
    left_out: list[Line] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)


def read_players(text: str, *, levels: int) -> PlayerList:
    """Read a list with an address in each line, and names, divisions and other columns in any order.

    Cells are separated by commas, semicolons or tabs. Names and divisions are found by their headings, and
    without headings by what they look like. Divisions are numbers from 1 or letters.
    Raises BadRows with everything that is wrong, or with that the list is too long to look for it.
    """
    if len(text) > MOST_BYTES:
        raise too_long()
    rows = rows_of(text.removeprefix("\ufeff"))
    if not rows:
        raise BadRows([(1, _("The list is empty. Paste or choose another one."))])
    header, body, found = _without_headings(rows)
    if len(body) > MOST_LINES:
        raise too_long()
    columns = ListColumns.of(header, body, levels)
    found.remarks += columns.ignored(header)
    errors = _length_problems(body)
    for row in body:
        errors += [(row.line, text) for text in _row_problems(row, columns, levels)]
    if errors:
        raise BadRows(errors)
    _take_players(body, columns, levels, found)
    return found


def _without_headings(rows: list[ListRow]) -> tuple[ListRow | None, list[ListRow], PlayerList]:
    """Return the row that names the columns, if any, the rows below it, and a list that tells of headings."""
    before = next((at for at, row in enumerate(rows) if any("@" in cell for cell in row.cells)), len(rows))
    named = next((at for at, row in enumerate(rows[:before]) if any(map(meaning_of, row.cells))), None)
    if before == len(rows) and (named is None or "email" not in map(meaning_of, rows[named].cells)):
        raise BadRows([(rows[0].line, _("There are no email addresses in this list. Add a column of them."))])
    at = before - 1 if named is None else named
    if at + 1 == len(rows):
        text = _("There are no players below the column names. Add one player per line.")
        raise BadRows([(rows[at].line, text)])
    headings = rows[: at + 1] if named is None else rows[:at]
    told = PlayerList(left_out=[(row.line, _("This line is read as a heading.")) for row in headings])
    if at < 0:
        return None, [each for row in rows for each in row.each_address()], told
    return rows[at], rows[at + 1 :], told


def _length_problems(body: Sequence[ListRow]) -> list[Line]:
    if len(body) <= MOST_ROWS:
        return []
    text = ngettext(
        "The list has %(count)d player. You can import at most %(most)d at once.",
        "The list has %(count)d players. You can import at most %(most)d at once.",
        len(body),
    )
    return [(body[MOST_ROWS].line, text % {"most": MOST_ROWS, "count": len(body)})]


def _row_problems(row: ListRow, columns: ListColumns, levels: int) -> Iterator[str]:
    address, _name = _address_and_name(row.cell(columns.email))
    if address and not is_address(address):
        # Translators: wrong is what the organiser typed
        yield _("This is not an email address: %(wrong)s") % {"wrong": shown(address)}
    level = row.cell(columns.level)
    if level and level_of(level, levels) is None:
        # Translators: level is what the organiser typed; last is the letter of the last division
        text = _("There is no division %(level)s. The divisions go from A to %(last)s.")
        yield text % {"level": shown(level), "last": LETTERS[levels - 1]}


def _address_and_name(cell: str) -> tuple[str, str]:
    """Return the address in a cell such as `Anna <anna@example.org>`, and the rest of it, a name."""
    words = [word.removeprefix("mailto:") for word in re.split(r"[\s<>\"]+", cell) if word]
    addresses = [word for word in words if "@" in word]
    if len(addresses) != 1:
        return normal_address(cell), ""
    return normal_address(addresses[0]), " ".join(word for word in words if "@" not in word)


def _take_players(body: Iterable[ListRow], columns: ListColumns, levels: int, found: PlayerList) -> None:
    """Add the players of these sound rows to the list, and what is left out of them."""
    lines: dict[str, int] = {}
    for row in body:
        email, name_with_it = _address_and_name(row.cell(columns.email))
        if not email:
            found.left_out.append((row.line, _("This line has no email address.")))
        elif email in lines:
            text = _("%(email)s is already on line %(line)d.")
            facts = {"email": shown(readable_address(email)), "line": lines[email]}
            found.left_out.append((row.line, text % facts))
        else:
            lines[email] = row.line
            name = _usable_name(row, columns, name_with_it, found)
            level = level_of(row.cell(columns.level), levels) if row.cell(columns.level) else None
            found.players.append(Listed(row.line, email, name, level))


def _usable_name(row: ListRow, columns: ListColumns, name_with_it: str, found: PlayerList) -> str:
    """Return the name in a row. One that is not allowed here is left out: it must not block an invitation."""
    typed = " ".join(filter(None, map(row.cell, columns.names))) or name_with_it
    try:
        return clean_name(typed) if typed else ""
    except ValidationError:
        # Translators: name is what the organiser typed
        text = _("We can’t use the name “%(name)s”. The invitation has none.")
        found.left_out.append((row.line, text % {"name": shown(typed)}))
        return ""
