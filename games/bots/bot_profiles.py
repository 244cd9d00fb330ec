"""What tells a captain from a recruit: numbers that weigh, not other rules. Found by playing many duels."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Temper:
    """How a bot weighs things. Prices and worth are in points; a Mercenary's printed point is about one."""

    thrift: float  # how dear its cards are while two seats hold cards: whoever runs out ends the round
    table_thrift: float  # and while more do, who fight on without it
    spare_thrift: float  # how much of that is left while its limit would cut what it draws (R25)
    duel_denial: float  # how much of the other's gain it counts as its own loss, with two players
    table_denial: float  # and with more, where others may stop him too
    foreseen: float  # which part of the others' hands it expects them to spend in a battle
    urgency: float  # and how much more of it when they could win the game
    patience: float  # how likely it thinks the others pass, one by one, while it plays cheap cards
    counts_cards: bool  # whether it remembers what was played
    pairs_cards: bool  # whether it plans two special cards together

    def denial(self, players: int) -> float:
        """How much of another's gain counts as one's own loss, with so many players."""
        return self.duel_denial if players == 2 else self.table_denial


TEMPERS: Mapping[str, Temper] = MappingProxyType(
    {
        "recruit": Temper(
            thrift=1.0,
            table_thrift=1.0,
            spare_thrift=1.0,
            duel_denial=0.3,
            table_denial=0.3,
            foreseen=0.3,
            urgency=0.0,
            patience=0.0,
            counts_cards=False,
            pairs_cards=False,
        ),
        "captain": Temper(
            thrift=0.2,
            table_thrift=0.9,
            spare_thrift=0.5,
            duel_denial=0.7,
            table_denial=0.3,
            foreseen=0.6,
            urgency=0.4,
            patience=0.1,
            counts_cards=True,
            pairs_cards=True,
        ),
    }
)
