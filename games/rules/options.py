"""What a table agreed to play: an edition and its variants, as one frozen value.

A rule that differs asks these values at the one spot where it differs; there is no class per edition.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .cards import Cards
from .errors import UnknownOption, quoted

SEATS = range(2, 7)


@dataclass(frozen=True, slots=True)
class Goals:
    """How many regions win: in one connected group, or in all (R15)."""

    connected: int
    total: int


@dataclass(frozen=True, slots=True)
class Edition:
    """What an edition prints: its deck, how many cards are dealt, what wins."""

    name: str
    deck: Cards
    hand_size: int
    cards_per_region: int
    goals: Mapping[int, Goals]


def _deck(*copies: int) -> Cards:
    """A deck in canonical order from the number of copies of each card in that order."""
    return tuple([card for card, count in enumerate(copies) for _ in range(count)])


_FEW, _MANY = Goals(connected=4, total=6), Goals(connected=3, total=5)

EDITIONS: Mapping[str, Edition] = MappingProxyType(
    {
        "2007": Edition(
            name="2007",
            deck=_deck(10, 8, 8, 8, 8, 8, 8, 12, 3, 6, 16, 6, 3, 3, 3),
            hand_size=10,
            cards_per_region=1,
            goals=MappingProxyType({2: _FEW, 3: _FEW, 4: _MANY, 5: _MANY, 6: _MANY}),
        ),
    }
)
VARIANTS: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Options:
    """The edition and variants in force. Raises UnknownOption, by name, for what this version does not
    know."""

    edition: str = "2007"
    variants: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.edition not in EDITIONS:
            raise UnknownOption(f"unknown edition {quoted(self.edition)}")
        for variant in self.variants:
            if variant not in VARIANTS:
                raise UnknownOption(f"unknown variant {quoted(variant)}")
        object.__setattr__(self, "variants", tuple(sorted(set(self.variants))))

    @property
    def deck(self) -> Cards:
        """All cards of the edition in canonical order."""
        return EDITIONS[self.edition].deck

    @property
    def hand_size(self) -> int:
        """How many cards a hand is filled up to (R2, R19, R21)."""
        return EDITIONS[self.edition].hand_size

    @property
    def cards_per_region(self) -> int:
        """How many cards each controlled region adds to a deal (R19, R21)."""
        return EDITIONS[self.edition].cards_per_region

    def goals(self, players: int) -> Goals:
        """How many regions win with so many players (R15)."""
        return EDITIONS[self.edition].goals[players]
