"""What is played: an edition and its variants, as one frozen value.

A rule that differs checks these values at the one place where it differs. There is no class per edition.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from .cards import Cards, copies_in, deck_of
from .errors import UnknownOption, quoted

SEATS = range(2, 7)


@dataclass(frozen=True, slots=True)
class Goals:
    """How many regions win: in one connected group, or in all (R15).

    `total` is None where no total wins (R48).
    """

    connected: int
    total: int | None


@dataclass(frozen=True, slots=True)
class Edition:
    """What an edition prints: its deck, how many cards are dealt, and what wins."""

    name: str
    deck: Cards
    copies: Mapping[str, int]
    hand_size: int
    cards_per_region: int
    goals: Mapping[int, Goals]
    variants: tuple[str, ...] = ()  # what may be chosen with it


DRAW_AFTER_BATTLE = "draw-after-battle"
BIGGER_KINGDOMS = "bigger-kingdoms"
CAPTURING_REGIONS = "capturing-regions"
HIDDEN_CARDS = "hidden-cards"
PLAYING_FOR_POINTS = "playing-for-points"

# A rule that is corrected later gets one more name, so old records without it keep their meaning.
VARIANTS: tuple[str, ...] = (
    BIGGER_KINGDOMS,
    CAPTURING_REGIONS,
    DRAW_AFTER_BATTLE,
    HIDDEN_CARDS,
    PLAYING_FOR_POINTS,
)


_FEW, _MANY = Goals(connected=4, total=6), Goals(connected=3, total=5)
_TWO_1995, _THREE_1995, _MANY_1995 = (Goals(connected, None) for connected in (6, 5, 4))

EDITIONS: Mapping[str, Edition] = MappingProxyType(
    {
        "2007": Edition(
            name="2007",
            deck=deck_of("2007"),
            copies=copies_in("2007"),
            hand_size=10,
            cards_per_region=1,
            goals=MappingProxyType({2: _FEW, 3: _FEW, 4: _MANY, 5: _MANY, 6: _MANY}),
            variants=VARIANTS,
        ),
        "1995": Edition(
            name="1995",
            deck=deck_of("1995"),
            copies=copies_in("1995"),
            hand_size=10,
            cards_per_region=2,
            goals=MappingProxyType(
                {2: _TWO_1995, 3: _THREE_1995, 4: _MANY_1995, 5: _MANY_1995, 6: _MANY_1995}
            ),
        ),
    }
)
FIRST_HAND_TO_DRAW_FROM = 7


def _derived() -> Any:
    """Declare a field that follows from edition and variants."""
    return field(init=False, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Options:
    """The edition and variants in force, with the properties that the rules check.

    Raises UnknownOption, by name, for what this version doesn't know or the edition doesn't allow (R48).
    """

    edition: str = "2007"
    variants: tuple[str, ...] = ()
    is_1995: bool = _derived()
    draws_after_battle: bool = _derived()
    has_bigger_kingdoms: bool = _derived()
    captures_regions: bool = _derived()
    hides_cards: bool = _derived()
    plays_for_points: bool = _derived()

    def __post_init__(self) -> None:
        if self.edition not in EDITIONS:
            raise UnknownOption(f"unknown edition {quoted(self.edition)}: name {' or '.join(EDITIONS)}")
        for variant in self.variants:
            if variant not in VARIANTS:
                raise UnknownOption(f"unknown variant {quoted(variant)}: name any of {', '.join(VARIANTS)}")
            if variant not in EDITIONS[self.edition].variants:
                raise UnknownOption(f"variant {variant!r} cannot be played in edition {self.edition!r}")
        derived = {
            "variants": tuple(sorted(set(self.variants))),
            "is_1995": self.edition == "1995",
            "draws_after_battle": DRAW_AFTER_BATTLE in self.variants,
            "has_bigger_kingdoms": BIGGER_KINGDOMS in self.variants,
            "captures_regions": CAPTURING_REGIONS in self.variants,
            "hides_cards": HIDDEN_CARDS in self.variants,
            "plays_for_points": PLAYING_FOR_POINTS in self.variants,
        }
        for name, value in derived.items():
            object.__setattr__(self, name, value)

    @property
    def deck(self) -> Cards:
        """All cards of the edition in canonical order."""
        return EDITIONS[self.edition].deck

    @property
    def copies(self) -> Mapping[str, int]:
        """How many copies of each card the deck has, by name in canonical order."""
        return EDITIONS[self.edition].copies

    @property
    def first_hand_size(self) -> int:
        """How many cards each hand gets at the start of a game (R2, R25)."""
        return FIRST_HAND_TO_DRAW_FROM if self.draws_after_battle else self.hand_size

    @property
    def hand_size(self) -> int:
        """How many cards a hand is filled up to later (R19, R21, R25, R46)."""
        return EDITIONS[self.edition].hand_size

    @property
    def cards_per_region(self) -> int:
        """How many cards each held region adds to a deal or a limit (R19, R21, R25, R46)."""
        return EDITIONS[self.edition].cards_per_region

    def goals(self, players: int) -> Goals:
        """Return how many regions win with this number of players (R15, R31, R48)."""
        printed = EDITIONS[self.edition].goals[players]
        return Goals(printed.connected + 1, printed.total) if self.has_bigger_kingdoms else printed
