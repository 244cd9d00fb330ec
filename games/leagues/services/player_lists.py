"""Read a club's own list of players: addresses, names and divisions in any order."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import regex
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.addresses import is_address, normal_address, readable_address
from accounts.characters import EMOJI, printable, shortened
from accounts.names import clean_name
from games.narration.cast import comma_list
from games.services import Refused

MOST_ROWS = 200  # as many as an organiser may invite in a day
MOST_BYTES = 300_000  # for as many players, with all that clubs keep about them; also characters
MOST_LINES = 20_000  # and addresses
_DELIMITERS = "\t;,"  # the first of equals: commas also stand inside names
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HEADINGS = {
    heading: meaning
    for meaning, headings in (
        ("first", "first name,firstname,given name,vorname,prénom,prenom,nome,nombre,imię,imie,имя"),
        ("last", "last name,lastname,surname,family name,nachname,cognome,apellidos,nazwisko,фамилия"),
        ("full", "name,full name,player,player name,spieler,nom,joueur,giocatore,jugador"),
        ("full", "gracz,imię i nazwisko,игрок,имя и фамилия"),
        (
            "level",
            "level,division,livello,divisione,niveau,nivel,división,poziom,grupa,dywizja,уровень,дивизион",
        ),
    )
    for heading in headings.split(",")
}
_NAME = regex.compile(r"\p{L}[^\d_@<>]*[\p{L}\p{M}]\.?")

Line = tuple[int, str]


class BadRows(Refused):
    """A rejected list, from which no one was invited. `errors` holds each problem as (line, sentence)."""

    def __init__(self, errors: Iterable[Line]) -> None:
        self.errors = tuple(sorted(errors, key=lambda error: error[0]))
        super().__init__("\n".join(f"{line}: {text}" for line, text in self.errors))


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


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: tuple[str, ...]

    def cell(self, column: int | None) -> str:
        return self.cells[column] if column is not None and column < len(self.cells) else ""

    def each_address(self) -> list[_Row]:
        """Return a row for each address, if this is a line of addresses such as that of an email."""
        addresses = [_Row(self.line, (cell,)) for cell in self.cells if "@" in cell]
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


def read_players(text: str, *, levels: int) -> PlayerList:
    """Read a list with an address in each line, and names, divisions and other columns in any order.

    Cells are separated by commas, semicolons or tabs. Names and divisions are found by their headings, and
    without headings by what they look like. Divisions are numbers from 1 or letters.
    Raises BadRows with everything that is wrong, or with that the list is too long to look for it.
    """
    if len(text) > MOST_BYTES:
        raise _too_long()
    rows = _rows(text.removeprefix("\ufeff"))
    if not rows:
        raise BadRows([(1, _("The list is empty. Paste or choose another one."))])
    header, body, found = _without_headings(rows)
    if len(body) > MOST_LINES:
        raise _too_long()
    columns = _Columns.of(header, body, levels)
    found.remarks += columns.ignored(header)
    errors = _too_many(body)
    for row in body:
        errors += [(row.line, text) for text in _wrong(row, columns, levels)]
    if errors:
        raise BadRows(errors)
    _take_players(body, columns, levels, found)
    return found


def _too_long() -> BadRows:
    return BadRows([(1, _("The list is too long. Split it into several lists."))])


def _rows(text: str) -> list[_Row]:
    """Return the rows that are not empty, each with its first line number."""
    is_odd = text.count('"') % 2 == 1  # else marks may stand anywhere, as in "Rossi, Anna" <anna@example.org>
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=is_odd)
    rows, line = [], 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append(_Row(line, tuple(cell.strip() for cell in cells)))
            if len(rows) > MOST_LINES:
                raise _too_long()
            line = reader.line_num + 1
    except csv.Error as error:
        raise BadRows(
            [(line, _("We cannot read this row. Check that all its quotation marks are closed."))]
        ) from error
    return rows


def _delimiter(text: str) -> str:
    """Return the delimiter that most lines with an address have."""
    lines = text.splitlines()
    lines = [line for line in lines if "@" in line] or lines
    return max(_DELIMITERS, key=lambda one: sum(one in line for line in lines))


def _meaning(heading: str) -> str:
    """Return what a column with this heading holds; empty if it is not known."""
    words = " ".join(heading.casefold().split()).strip(" :*")
    return "email" if "mail" in words or "почта" in words else _HEADINGS.get(words, "")


def _without_headings(rows: list[_Row]) -> tuple[_Row | None, list[_Row], PlayerList]:
    """Return the row that names the columns, if any, the rows below it, and a list that tells of headings."""
    before = next((at for at, row in enumerate(rows) if any("@" in cell for cell in row.cells)), len(rows))
    named = next((at for at, row in enumerate(rows[:before]) if any(map(_meaning, row.cells))), None)
    if before == len(rows) and (named is None or "email" not in map(_meaning, rows[named].cells)):
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


@dataclass(frozen=True, slots=True)
class _Columns:
    """Which columns of a list hold what."""

    email: int
    names: tuple[int, ...]
    level: int | None

    @classmethod
    def of(cls, header: _Row | None, body: Sequence[_Row], levels: int) -> _Columns:
        meanings = [_meaning(cell) for cell in header.cells] if header else []
        email = _email_column(meanings, body)
        at = {meaning: column for column, meaning in enumerate(meanings) if column != email}
        family = "last" if "last" in at else "full"
        order = ("first", family) if "first" in at else ("full" if "full" in at else "last",)
        names = tuple(at[meaning] for meaning in order if meaning in at)
        if not any(meanings):
            return cls(email, _looking_like_names(body, email), _looking_like_levels(body, levels))
        return cls(email, names, at.get("level") if levels > 1 else None)

    def ignored(self, header: _Row | None) -> list[str]:
        """Return a sentence that lists the columns that are not used, if there are any."""
        cells = enumerate(header.cells if header else ())
        used = {self.email, *self.names, self.level}
        # Translators: words are what someone typed, in quotation marks of the language
        quoted = pgettext("quoted words in a list", "“%(words)s”")
        rest = [quoted % {"words": shown(cell)} for column, cell in cells if cell and column not in used]
        # Translators: columns are their headings, as the organiser typed them
        text = _("We don’t use these columns: %(columns)s.")
        return [text % {"columns": comma_list(rest)}] if rest else []


def _email_column(meanings: Sequence[str], body: Iterable[_Row]) -> int:
    """Return the column with the most addresses, before others one that is named so."""
    count = Counter(column for row in body for column, cell in enumerate(row.cells) if "@" in cell)
    named = [column for column, meaning in enumerate(meanings) if meaning == "email"]
    return max([column for column in named if count[column]] or list(count) or named, key=count.__getitem__)


def _looking_like_names(body: Sequence[_Row], email: int) -> tuple[int, ...]:
    """Return the column with the most different names, if there is one: towns and roles are repeated."""
    names: dict[int, set[str]] = {}
    for row in body:
        for column, cell in enumerate(row.cells):
            if column != email and _NAME.fullmatch(EMOJI.sub("", cell).strip()):
                names.setdefault(column, set()).add(cell)
    best = max(names, key=lambda column: len(names[column]), default=None)
    return (best,) if best is not None and 2 * len(names[best]) >= len(body) else ()


def _looking_like_levels(body: Sequence[_Row], levels: int) -> int | None:
    """Return the column in which each row has a division or nothing, if there is one that does not count."""
    cells: dict[int, list[str]] = {}
    for row in body:
        for column, cell in enumerate(row.cells):
            cells.setdefault(column, []).extend([cell] if cell else [])
    numbers = [str(number) for number in range(1, len(body) + 1)]
    fits = (
        column
        for column, typed in cells.items()
        if typed and typed != numbers and all(_level(one, levels) for one in typed)
    )
    return next(fits, None) if levels > 1 else None


def _too_many(body: Sequence[_Row]) -> list[Line]:
    if len(body) <= MOST_ROWS:
        return []
    text = ngettext(
        "The list has %(count)d player. You can import at most %(most)d at once.",
        "The list has %(count)d players. You can import at most %(most)d at once.",
        len(body),
    )
    return [(body[MOST_ROWS].line, text % {"most": MOST_ROWS, "count": len(body)})]


def _wrong(row: _Row, columns: _Columns, levels: int) -> Iterator[str]:
    address, _name = _address(row.cell(columns.email))
    if address and not is_address(address):
        # Translators: wrong is what the organiser typed
        yield _("This is not an email address: %(wrong)s") % {"wrong": shown(address)}
    level = row.cell(columns.level)
    if level and _level(level, levels) is None:
        # Translators: level is what the organiser typed; last is the letter of the last division
        text = _("There is no division %(level)s. The divisions go from A to %(last)s.")
        yield text % {"level": shown(level), "last": _LETTERS[levels - 1]}


def _address(cell: str) -> tuple[str, str]:
    """Return the address in a cell such as `Anna <anna@example.org>`, and the rest of it, a name."""
    words = [word.removeprefix("mailto:") for word in re.split(r"[\s<>\"]+", cell) if word]
    addresses = [word for word in words if "@" in word]
    if len(addresses) != 1:
        return normal_address(cell), ""
    return normal_address(addresses[0]), " ".join(word for word in words if "@" not in word)


def _level(cell: str, levels: int) -> int | None:
    """Return the level for this number or letter, or None if there is no such division."""
    cell = cell.rpartition(" ")[2]  # of "Division B"
    if len(cell) == 1 and cell.upper() in _LETTERS:
        level = _LETTERS.index(cell.upper()) + 1
    else:
        level = int(cell) if cell.isascii() and cell.isdecimal() and len(cell) <= 2 else 0
    return level if 1 <= level <= levels else None


def _take_players(body: Iterable[_Row], columns: _Columns, levels: int, found: PlayerList) -> None:
    """Add the players of these sound rows to the list, and what is left out of them."""
    lines: dict[str, int] = {}
    for row in body:
        email, beside = _address(row.cell(columns.email))
        if not email:
            found.left_out.append((row.line, _("This line has no email address.")))
        elif email in lines:
            text = _("%(email)s is already on line %(line)d.")
            facts = {"email": shown(readable_address(email)), "line": lines[email]}
            found.left_out.append((row.line, text % facts))
        else:
            lines[email] = row.line
            name = _name(row, columns, beside, found)
            level = _level(row.cell(columns.level), levels) if row.cell(columns.level) else None
            found.players.append(Listed(row.line, email, name, level))


def _name(row: _Row, columns: _Columns, beside: str, found: PlayerList) -> str:
    """Return the name in a row. One that is not allowed here is left out: it must not block an invitation."""
    typed = " ".join(filter(None, map(row.cell, columns.names))) or beside
    try:
        return clean_name(typed) if typed else ""
    except ValidationError:
        # Translators: name is what the organiser typed
        text = _("We can’t use the name “%(name)s”. The invitation has none.")
        found.left_out.append((row.line, text % {"name": shown(typed)}))
        return ""


def shown(text: str) -> str:
    """Make user input safe to show in a sentence: one line, at most 80 characters, nothing invisible."""
    return shortened(" ".join(printable(text).split()), 80)
