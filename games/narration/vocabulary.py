"""Words for cards, regions and moves in the reader's language, and columns of plain text.

What a card is called and what it does is said here, and only here.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy

from games.map.region_names import region_name
from games.narration.cast import comma_list
from games.rules import SPEC_OF, SPRING_BONUS, Move


class CardRule(NamedTuple):
    """What a card does, in one sentence, and the rulings that say so."""

    sentence: str | Promise
    rulings: tuple[int, ...]


# A Mercenary is called by its printed value.
CARD_NAMES = {
    "courtesan": pgettext_lazy("card", "Courtesan"),
    "heroine": pgettext_lazy("card", "Heroine"),
    "drummer": pgettext_lazy("card", "Drummer"),
    "scarecrow": pgettext_lazy("card", "Scarecrow"),
    "bishop": pgettext_lazy("card", "Bishop"),
    "winter": pgettext_lazy("card", "Winter"),
    "spring": pgettext_lazy("card", "Spring"),
    "surrender": pgettext_lazy("card", "Surrender"),
}

# The players of worked examples and pictures, in seating order; texts about them name them too.
_EXAMPLE_NAMES = (
    pgettext_lazy("player in an example", "Anna"),
    pgettext_lazy("player in an example", "Bruno"),
    pgettext_lazy("player in an example", "Carla"),
    pgettext_lazy("player in an example", "Dario"),
    pgettext_lazy("player in an example", "Elena"),
    pgettext_lazy("player in an example", "Fabio"),
)

# Where a card can have no picture: signs of which no font has a coloured version.
CARD_SIGNS = {
    "courtesan": "❀",
    "heroine": "♛",
    "drummer": "♫",
    "scarecrow": "↶",
    "bishop": "♝",
    "winter": "❆",
    "spring": "❦",
    "surrender": "⚐",
}

_CARD_RULES: Mapping[str, CardRule] = {
    "mercenary": CardRule(gettext_lazy("Adds its printed strength to your line."), (6,)),
    "courtesan": CardRule(
        gettext_lazy(
            "With more Courtesans in your line than anyone else, you become the Condottiere after the "
            "battle, even if you lose it."
        ),
        (14,),
    ),
    "heroine": CardRule(
        # Translators: %(strength)d is a number.
        gettext_lazy("Adds %(strength)d to your line, and no other card changes that."),
        (6,),
    ),
    "drummer": CardRule(
        gettext_lazy("Doubles the Mercenaries in your line, including those you play later."), (6,)
    ),
    "scarecrow": CardRule(
        gettext_lazy("Takes one Mercenary from your line back into your hand, or none."), (10,)
    ),
    "bishop": CardRule(
        gettext_lazy(
            "Removes every Mercenary with the highest printed strength from all lines, and sends the Pope "
            "to a region or off the map."
        ),
        (8, 9),
    ),
    "winter": CardRule(
        gettext_lazy("Discards every Spring in play, and makes every Mercenary in every line count 1."),
        (6, 7),
    ),
    "spring": CardRule(
        # Translators: %(bonus)d is a number.
        gettext_lazy(
            "Discards every Winter in play, and adds %(bonus)d to every Mercenary with the highest "
            "printed strength of all lines."
        ),
        (6, 7),
    ),
    "surrender": CardRule(
        gettext_lazy("Ends the battle at once: the lines are compared as they are."), (12,)
    ),
}
_CARD_RULES_1995: Mapping[str, CardRule] = {
    "mercenary": CardRule(_CARD_RULES["mercenary"].sentence, (47,)),
    "heroine": CardRule(_CARD_RULES["heroine"].sentence, (47,)),
    "drummer": CardRule(_CARD_RULES["drummer"].sentence, (47,)),
    "scarecrow": CardRule(gettext_lazy("Takes one Mercenary from any line into your hand, or none."), (45,)),
    "bishop": CardRule(gettext_lazy("Ends the battle at once, and no one wins it."), (43,)),
    "winter": CardRule(gettext_lazy("Makes every Mercenary in every line count 1."), (47,)),
}

# How a game was won: a sentence after the one that names the winners.
REASONS = {
    "adjacent regions": gettext_lazy("A connected group of regions decided it."),
    "total regions": gettext_lazy("The number of regions decided it."),
    "most regions": gettext_lazy("No region was left to fight for, so the most regions decided it."),
    "final battle": gettext_lazy("A final battle decided it."),
}


def card_name(card: str) -> str:
    """Return a card's name: a Mercenary by its printed value."""
    return str(CARD_NAMES.get(card, card))


def card_rule(card: str, edition: str) -> CardRule:
    """Return what a card does in an edition."""
    spec = SPEC_OF[card]
    key = "mercenary" if spec.is_mercenary else card
    changed = _CARD_RULES_1995 if edition == "1995" else {}
    rule = changed.get(key) or _CARD_RULES[key]
    return CardRule(str(rule.sentence) % {"strength": spec.strength, "bonus": SPRING_BONUS}, rule.rulings)


def card_names(cards: Iterable[str]) -> str:
    """Return several cards in one phrase; a dash for none."""
    return comma_list(card_name(card) for card in cards) or "–"


def move_name(move: Move, names: Sequence[str] = (), mine: int | None = None) -> str:
    """Return the label of the button that makes this move.

    `names` are those of the seats, for moves that name one. `mine` is the seat of the player who moves.
    """
    match move.kind:
        case "place":
            # Translators: a button. region is a region of the map, such as "Roma".
            return _("Fight for %(region)s") % {"region": region_name(str(move.region))}
        case "play":
            return _play_name(move, names, mine)
        case "pass":
            return _("Pass and turn your card up") if move.reveals else pgettext("button", "Pass")
        case "discard hand":
            return _("Discard your whole hand")
        case "keep hand":
            return _("Keep your hand")
        case "keep":
            if not move.cards:
                return _("Keep no card")
            # Translators: a button. cards is a list of card names such as "10, Drummer".
            return _("Keep %(cards)s") % {"cards": card_names(move.cards)}
    raise ValueError(f"nobody is asked to {move}")


def _play_name(move: Move, names: Sequence[str], mine: int | None) -> str:
    if move.card == "bishop" and str(move) != "play bishop":  # 1995 has no Pope
        if move.region is None:
            return _("Play the Bishop, the Pope leaves the map")
        # Translators: a button. region is a region of the map.
        return _("Play the Bishop, the Pope goes to %(region)s") % {"region": region_name(move.region)}
    if move.card == "scarecrow":
        if move.taken is None:
            return _("Play a Scarecrow and take nothing")
        if move.from_seat is not None and move.from_seat != mine:
            words = {"card": move.taken, "owner": names[move.from_seat]}
            # Translators: a button. card is the number on a card, owner is the player who played it.
            return _("Play a Scarecrow and take the %(card)s that %(owner)s played") % words
        # Translators: a button. card is the number on a card.
        return _("Play a Scarecrow and take back the %(card)s") % {"card": move.taken}
    # Translators: a button. card is a card's name.
    return _("Play %(card)s") % {"card": card_name(str(move.card))}


# Plain-text columns for emails. Knows nothing of games


INDENT = "  "
WIDEST = 72  # characters, which every mail program shows in one line
NARROWEST_FOLD = 16


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as indented text in aligned columns; a cell may have several lines.

    Where a line would be longer than mail programs show, the widest column is folded.
    """
    widths = _widths(rows)
    return "\n".join(line for row in rows for line in _lines_of_row(row, widths))


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    columns = list(zip(*rows, strict=True))
    widths = [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]
    excess = sum(widths) + len(INDENT) * len(widths) - WIDEST
    widest = max(range(len(widths)), key=widths.__getitem__)
    widths[widest] = max(NARROWEST_FOLD, widths[widest] - max(0, excess))
    return widths


def _lines_of_row(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    cells = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*cells, fillvalue=""):
        text = INDENT.join(part.ljust(width) for part, width in zip(parts, widths, strict=True))
        yield f"{INDENT}{text.rstrip()}"


def _folded(cell: str, width: int) -> list[str]:
    return [part for line in cell.split("\n") for part in textwrap.wrap(line, width) or [""]]


def example_names(players: int = len(_EXAMPLE_NAMES)) -> tuple[str, ...]:
    """Return the names of this many players of an example, in the reader's language."""
    return tuple(str(name) for name in _EXAMPLE_NAMES[:players])
