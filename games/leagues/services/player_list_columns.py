"""The columns of a club's own list of players, found by their headings or by what they look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import regex
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.characters import EMOJI
from games.leagues.services.player_list_rows import ListRow, shown
from games.narration.cast import comma_list

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
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


def meaning_of(heading: str) -> str:
    """Return what a column with this heading holds; empty if it is not known."""
    words = " ".join(heading.casefold().split()).strip(" :*")
    return "email" if "mail" in words or "почта" in words else _HEADINGS.get(words, "")


@dataclass(frozen=True, slots=True)
class ListColumns:
    """Which columns of a list hold what."""

    email: int
    names: tuple[int, ...]
    level: int | None

    @classmethod
    def of(cls, header: ListRow | None, body: Sequence[ListRow], levels: int) -> ListColumns:
        meanings = [meaning_of(cell) for cell in header.cells] if header else []
        email = _email_column(meanings, body)
        at = {meaning: column for column, meaning in enumerate(meanings) if column != email}
        family = "last" if "last" in at else "full"
        order = ("first", family) if "first" in at else ("full" if "full" in at else "last",)
        names = tuple(at[meaning] for meaning in order if meaning in at)
        if not any(meanings):
            return cls(email, _looking_like_names(body, email), _looking_like_levels(body, levels))
        return cls(email, names, at.get("level") if levels > 1 else None)

    def ignored(self, header: ListRow | None) -> list[str]:
        """Return a sentence that lists the columns that are not used, if there are any."""
        cells = enumerate(header.cells if header else ())
        used = {self.email, *self.names, self.level}
        # Translators: words are what someone typed, in quotation marks of the language
        quoted = pgettext("quoted words in a list", "“%(words)s”")
        rest = [quoted % {"words": shown(cell)} for column, cell in cells if cell and column not in used]
        # Translators: columns are their headings, as the organiser typed them
        text = _("We don’t use these columns: %(columns)s.")
        return [text % {"columns": comma_list(rest)}] if rest else []


def _email_column(meanings: Sequence[str], body: Iterable[ListRow]) -> int:
    """Return the column with the most addresses, before others one that is named so."""
    count = Counter(column for row in body for column, cell in enumerate(row.cells) if "@" in cell)
    named = [column for column, meaning in enumerate(meanings) if meaning == "email"]
    return max([column for column in named if count[column]] or list(count) or named, key=count.__getitem__)


def _looking_like_names(body: Sequence[ListRow], email: int) -> tuple[int, ...]:
    """Return the column with the most different names, if there is one: towns and roles are repeated."""
    names: dict[int, set[str]] = {}
    for row in body:
        for column, cell in enumerate(row.cells):
            if column != email and _NAME.fullmatch(EMOJI.sub("", cell).strip()):
                names.setdefault(column, set()).add(cell)
    best = max(names, key=lambda column: len(names[column]), default=None)
    return (best,) if best is not None and 2 * len(names[best]) >= len(body) else ()


def _looking_like_levels(body: Sequence[ListRow], levels: int) -> int | None:
    """Return the column in which each row has a division or nothing, if there is one that does not count."""
    cells: dict[int, list[str]] = {}
    for row in body:
        for column, cell in enumerate(row.cells):
            cells.setdefault(column, []).extend([cell] if cell else [])
    numbers = [str(number) for number in range(1, len(body) + 1)]
    fits = (
        column
        for column, typed in cells.items()
        if typed and typed != numbers and all(level_of(one, levels) for one in typed)
    )
    return next(fits, None) if levels > 1 else None


def level_of(cell: str, levels: int) -> int | None:
    """Return the level for this number or letter, or None if there is no such division."""
    cell = cell.rpartition(" ")[2]  # of "Division B"
    if len(cell) == 1 and cell.upper() in LETTERS:
        level = LETTERS.index(cell.upper()) + 1
    else:
        level = int(cell) if cell.isascii() and cell.isdecimal() and len(cell) <= 2 else 0
    return level if 1 <= level <= levels else None
