"""What a game's page tells someone who hears it, put together from the names and roles of its tree alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from games.narration.vocabulary import card_name
from games.rules import CARDS, REGIONS, region_name
from tests.browser.hearing import Node

CARD_OF = {card_name(card): card for card in CARDS}
REGION_OF = {region_name(region): region for region in REGIONS}
DECISIONS = {
    "Choose a region to fight for.": "place",
    "Play a card or pass.": "battle",
    "Discard your whole hand, or keep it.": "hand",
    "Choose up to 2 cards to keep for the next round.": "keep",
}
TO_WIN = re.compile(r"To win: (\d+) more connected, or (\d+) more in all")


@dataclass(frozen=True)
class HeardLine:
    """One player's line in the battle."""

    name: str
    cards: tuple[str, ...]
    total: int
    standing: str  # "leads", "won", "tied" or nothing
    is_out: bool


@dataclass(frozen=True)
class HeardPlayer:
    """One player, with their regions and state."""

    name: str
    is_me: bool
    is_condottiere: bool
    hand_size: int
    regions: int
    missing: tuple[int, int] | None  # without a region it is what everyone needs, which is said once
    wins_with: frozenset[str]


@dataclass(frozen=True)
class HeardRegion:
    """One region of the map, as a row of its list."""

    holder: str | None
    neighbours: frozenset[str]
    notes: str


class HeardGame:
    """The page of a game, read only by role and name."""

    def __init__(self, page: Node) -> None:
        self.main = page.one("main")

    @property
    def heading(self) -> str:
        """Return the first heading below the page's own, which asks for the move."""
        return next(node.name for node in self.main.all("heading") if node.level == 2)

    @property
    def asked(self) -> str:
        """Return the kind of the pending decision; empty if there is none."""
        names = [node.name for node in self.main.all("heading") if node.level == 2]
        if any(name.startswith("Everyone else has passed.") for name in names):
            return "battle"
        return next((DECISIONS[name] for name in names if name in DECISIONS), "")

    @property
    def hand(self) -> Counter[str]:
        """Return the reader's cards, whether they are buttons, checkboxes or neither."""
        hand = self.main.one("region", "Your hand")
        if ticked := hand.all("checkbox"):
            return Counter(CARD_OF[box.name] for box in ticked)
        if picked := [one.name for one in hand.all("radio") if one.name.partition(",")[0] in CARD_OF]:
            return Counter({card: copies for name in picked for card, copies in _held([name])})
        texts = [*hand.texts, ""]
        return Counter({card: n for pair in pairwise(texts) for card, n in _held([*pair])})

    @property
    def playable(self) -> set[str]:
        """Return the cards that can be played."""
        names = [node.name.partition(",")[0] for node in self.main.all("radio")]
        return {CARD_OF[name] for name in names if name in CARD_OF}

    @property
    def battle(self) -> Node | None:
        found = [
            node for node in self.main.all("region") if node.name.startswith(("The battle for", "The la"))
        ]
        return found[0] if found else None

    @property
    def lines(self) -> list[HeardLine]:
        if self.battle is None:
            return []
        return [_line(row) for row in self.battle.all("row") if row.has("rowheader")]

    @property
    def season(self) -> str | None:
        """Find a choice by the sentence that says what it does."""
        told = [text for text in (self.battle.texts if self.battle else []) if text.endswith(".")]
        return next(
            (text.partition(":")[0].lower() for text in told if text[:7] in ("Winter:", "Spring:")), None
        )

    @property
    def fought_for(self) -> str | None:
        name = self.battle.name if self.battle else ""
        return REGION_OF[name.removeprefix("The battle for ")] if name.startswith("The battle for") else None

    @property
    def players(self) -> list[HeardPlayer]:
        return [_player(item.texts) for item in self.main.one("region", "Players").all("listitem")]

    @property
    def facts(self) -> dict[str, str]:
        """Return the terms next to the map, with each one's description."""
        terms = [node for node in self.main if node.role in ("term", "definition")]
        pairs = zip(terms[::2], terms[1::2], strict=True)
        return {term.texts[0]: " ".join(_without_help(said.texts)) for term, said in pairs}

    @property
    def regions(self) -> dict[str, HeardRegion]:
        """Return the map from its list."""
        rows = self.main.one("region", "The regions").all("row")
        return {
            REGION_OF[row.one("rowheader").texts[0]]: _region(row) for row in rows if row.has("rowheader")
        }

    @property
    def picture(self) -> dict[str, str]:
        """Return the map from its own parts: the name of each region's shape."""
        (drawn,) = (node for node in self.main if node.name == "Map of the regions")
        parts = [node.name.partition(": ") for node in drawn if node is not drawn and ": " in node.name]
        return {REGION_OF[name]: says for name, _, says in parts}

    @property
    def picture_told(self) -> str:
        """Return the picture's description."""
        return next(node.description for node in self.main if node.name == "Map of the regions")


def _without_help(texts: list[str]) -> list[str]:
    """Return texts without those of the help marks, which are decisions."""
    return [text for text in texts if not text.endswith("?")]


def _held(texts: list[str]) -> Iterator[tuple[str, int]]:
    """Return a card and its number, from a button's name or from text."""
    name, _, more = texts[0].partition(",")
    if name in CARD_OF:
        said = re.match(r" copies: (\d+)", more) or re.match(r"×(\d+)", "".join(texts[1:]))
        yield CARD_OF[name], int(said.group(1)) if said else 1


def _line(row: Node) -> HeardLine:
    laid, total = row.all("cell")
    states = total.texts[1:]
    name, *about = row.one("rowheader").texts
    return HeardLine(
        name=f"{name} (bot)" if "bot" in about else name,  # as it is called elsewhere
        cards=tuple(_cards(laid.texts)),
        total=int(total.texts[0]),
        standing=next((state for state in states if state in ("leads", "won", "tied")), ""),
        is_out="passed" in states,
    )


def _cards(texts: list[str]) -> Iterator[str]:
    """Return the cards of a line; a number after "counts" is the present value of the card before."""
    for before, text in zip(["", *texts], texts, strict=False):
        if text in CARD_OF and before != "counts":
            yield CARD_OF[text]


def _player(texts: list[str]) -> HeardPlayer:
    told = " | ".join(texts)
    missing = TO_WIN.search(told)
    wins = re.search(r"Wins the game with ([^|]*)", told)
    names = re.split(r", | or ", wins.group(1).strip()) if wins else []
    return HeardPlayer(
        name=texts[0],
        is_me="you" in texts,
        is_condottiere="Condottiere" in texts,
        hand_size=_number(texts, "card"),
        regions=_number(texts, "region"),
        missing=(int(missing.group(1)), int(missing.group(2))) if missing else None,
        wins_with=frozenset(REGION_OF[name] for name in names),
    )


def _number(texts: list[str], of: str) -> int:
    return next(int(text.split()[0]) for text in texts if re.fullmatch(rf"\d+ {of}s?", text))


def _region(row: Node) -> HeardRegion:
    holder, near = row.all("cell")
    name = " ".join(holder.texts)
    return HeardRegion(
        holder=None if name == "free" else name,
        neighbours=frozenset(REGION_OF[each] for each in " ".join(near.texts).split(", ")),
        notes=", ".join(row.one("rowheader").texts[1:]),
    )
