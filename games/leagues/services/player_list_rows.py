"""The rows of a club's own list of players, read from a file or a text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from accounts.characters import printable, shortened
from games.services import Refused

MOST_BYTES = 300_000  # for as many players, with all that clubs keep about them; also characters
MOST_LINES = 20_000  # and addresses
_DELIMITERS = "\t;,"  # the first of equals: commas also stand inside names
Line = tuple[int, str]


class BadRows(Refused):
    """A rejected list, from which no one was invited. `errors` holds each problem as (line, sentence)."""

    def __init__(self, errors: Iterable[Line]) -> None:
        self.errors = tuple(sorted(errors, key=lambda error: error[0]))
        super().__init__("\n".join(f"{line}: {text}" for line, text in self.errors))


@dataclass(frozen=True, slots=True)
class ListRow:
    line: int
    cells: tuple[str, ...]

    def cell(self, column: int | None) -> str:
        return self.cells[column] if column is not None and column < len(self.cells) else ""

    def each_address(self) -> list[ListRow]:
        """Return a row for each address, if this is a line of addresses such as that of an email."""
        addresses = [ListRow(self.line, (cell,)) for cell in self.cells if "@" in cell]
        return addresses if len(addresses) > 1 else [self]


def text_of(data: bytes) -> tuple[str, bool]:
    """Return a file's text, and whether its encoding had to be guessed. Raises Refused for other files."""
    if len(data) > MOST_BYTES:
        raise Refused(_("The file is too large. Split the list into several files."))
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), False
    if b"\0" in data or data.startswith((b"PK\x03\x04", b"%PDF")):
        raise Refused(_("This is not a text file. Save the sheet as CSV, then choose that file."))
    try:
        return data.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        return data.decode(_encoding_of(data), "replace"), True


def _encoding_of(data: bytes) -> str:
    """Guess the Windows encoding of a text: only Cyrillic has whole words of high bytes."""
    if re.search(rb"[\xc0-\xff]{3}", data):
        return "cp1251"
    letters_in_1250_alone = re.compile(r"[A-Za-z][£¥¯³¹¼¾¿]|[£¥¯³¹¼¾¿][a-z]")
    return "cp1250" if letters_in_1250_alone.search(data.decode("cp1252", "replace")) else "cp1252"


def too_long() -> BadRows:
    return BadRows([(1, _("The list is too long. Split it into several lists."))])


def rows_of(text: str) -> list[ListRow]:
    """Return the rows that are not empty, each with its first line number."""
    is_odd = text.count('"') % 2 == 1  # else marks may stand anywhere, as in "Rossi, Anna" <anna@example.org>
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=is_odd)
    rows, line = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(ListRow(line, tuple(cell.strip() for cell in cells)))
            if len(rows) > MOST_LINES:
                raise too_long()
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadRows(
            [(line, _("We can’t read this row. Check that all its quotation marks are closed."))]
        ) from error
    return rows


def _delimiter(text: str) -> str:
    """Return the delimiter that most lines with an address have."""
    lines = text.splitlines()
    lines = [line for line in lines if "@" in line] or lines
    return max(_DELIMITERS, key=lambda one: sum(one in line for line in lines))


def shown(text: str) -> str:
    """Make user input safe to show in a sentence: one line, at most 80 characters, nothing invisible."""
    return shortened(" ".join(printable(text).split()), 80)
