"""Reading a list of players from a CSV file: every broken row is told by its line, or all rows are sound.

Asks nothing of the database; whether somebody is in the season already, inviting.py knows.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.addresses import normal_address
from games.commands import Refused
from games.leagues.models import Invited

MOST_ROWS = 200  # as many as an organiser invites in a day
MOST_BYTES = 2_000_000
COLUMNS = {"email": "email", "e-mail": "email", "mail": "email", "level": "level", "division": "level"}
_DELIMITERS = ",;\t"
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST_ADDRESS = Invited._meta.get_field("email").max_length or 254

Error = tuple[int, str]


class BadRows(Refused):
    """A list of which nobody was invited. `errors` are all that is wrong with it: line and sentence."""

    def __init__(self, errors: Iterable[Error]) -> None:
        self.errors = tuple(sorted(errors, key=lambda error: error[0]))
        super().__init__("\n".join(f"{line}: {told}" for line, told in self.errors))


@dataclass(frozen=True, slots=True)
class Listed:
    """A player of the list, as he is invited."""

    line: int
    email: str
    level: int | None


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: tuple[str, ...]


def read_players(data: bytes | str, *, levels: int) -> tuple[Listed, ...]:
    """The players of a list whose first line names its columns: email, and level where one is kept.

    Levels count from 1, or are the divisions' letters. Cells are parted by commas, semicolons or tabulators.
    Raises BadRows with everything that is wrong.
    """
    rows = _rows(_text_of(data))
    if not rows:
        raise BadRows([(1, _("The file is empty."))])
    columns = _columns(rows[0])
    players, errors = _players(rows[1:], columns, levels)
    errors += _twice(players)
    if len(rows) == 1:
        errors.append((rows[0].line, _("No players follow the names of the columns.")))
    if len(rows) - 1 > MOST_ROWS:
        told = _("At most %(most)d players are imported at once; these are %(count)d.")
        errors.append((rows[MOST_ROWS + 1].line, told % {"most": MOST_ROWS, "count": len(rows) - 1}))
    if errors:
        raise BadRows(errors)
    return tuple(players)


def _text_of(data: bytes | str) -> str:
    """UTF-8, with or without a byte order mark."""
    if len(data) > MOST_BYTES:
        raise BadRows([(1, _("The file is too large."))])
    if isinstance(data, str):
        return data.removeprefix("\ufeff")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadRows([(line, _("This is not UTF-8 text: save the file with this encoding."))]) from error


def _rows(text: str) -> list[_Row]:
    """The rows that say something, each with the line at which it begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    rows, line = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(_Row(line, tuple(cell.strip() for cell in cells)))
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadRows([(line, _("This row cannot be read: are its quotation marks closed?"))]) from error
    return rows


def _delimiter(text: str) -> str:
    """What parts the cells of the first line; a line with one cell has none."""
    first = text.lstrip().partition("\n")[0]
    return max(_DELIMITERS, key=first.count)


def _columns(header: _Row) -> tuple[str, ...]:
    """What each column is."""
    names = [cell.casefold() for cell in header.cells]
    errors = [_unknown(cell) for cell in header.cells if cell.casefold() not in COLUMNS]
    columns = tuple(COLUMNS.get(name, "") for name in names)
    if len(set(columns)) < len(columns) and not errors:
        errors.append(_("Each column is named once."))
    if "email" not in columns:
        errors.append(_("The first line names the columns: e-mail, and level if you keep places at one."))
    if errors:
        raise BadRows([(header.line, told) for told in errors])
    return columns


def _unknown(cell: str) -> str:
    return _("There is no column “%(name)s”: only e-mail and level are read.") % {"name": shown(cell)}


def _players(rows: Iterable[_Row], columns: tuple[str, ...], levels: int) -> tuple[list[Listed], list[Error]]:
    players: list[Listed] = []
    errors: list[Error] = []
    for row in rows:
        wrong = list(_wrong(row, columns, levels))
        errors += [(row.line, told) for told in wrong]
        if not wrong:
            cells = _cells(row, columns)
            email, level = normal_address(cells["email"]), _level(cells.get("level", ""), levels)
            players.append(Listed(row.line, email, level))
    return players, errors


def _cells(row: _Row, columns: tuple[str, ...]) -> Mapping[str, str]:
    return dict(zip(columns, row.cells, strict=False))


def _wrong(row: _Row, columns: tuple[str, ...], levels: int) -> Iterator[str]:
    if len(row.cells) > len(columns):
        told = ngettext(
            "This row has %(count)d cell; the first line names %(columns)d.",
            "This row has %(count)d cells; the first line names %(columns)d.",
            len(row.cells),
        )
        yield told % {"count": len(row.cells), "columns": len(columns)}
        return
    cells = _cells(row, columns)
    address, level = cells.get("email", ""), cells.get("level", "")
    if not is_address(normal_address(address)):
        yield _("Not an e-mail address: %(wrong)s") % {"wrong": shown(address) or "–"}
    if level and _level(level, levels) is None:
        told = _("There is no division %(level)s: they are 1 to %(levels)d.")
        yield told % {"level": shown(level), "levels": levels}


def is_address(text: str) -> bool:
    """Whether this can be the address of somebody."""
    try:
        validate_email(text)
    except ValidationError:
        return False
    return len(text) <= _LONGEST_ADDRESS


def _level(cell: str, levels: int) -> int | None:
    """The division of this number or letter; None where there is none."""
    if len(cell) == 1 and cell.upper() in _LETTERS:
        level = _LETTERS.index(cell.upper()) + 1
    else:
        level = int(cell) if cell.isascii() and cell.isdecimal() and len(cell) <= 2 else 0
    return level if 1 <= level <= levels else None


def _twice(players: Iterable[Listed]) -> list[Error]:
    first: dict[str, int] = {}
    errors = []
    for player in players:
        line = first.setdefault(player.email, player.line)
        if line != player.line:
            told = _("%(email)s stands in line %(line)d already.")
            errors.append((player.line, told % {"email": shown(player.email), "line": line}))
    return errors


def shown(text: str) -> str:
    """What somebody wrote, as it can stand in a sentence: one line, not too long, nothing invisible."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= 80 else f"{line[:79]}…"
