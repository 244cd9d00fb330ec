"""Bot profiles: weights that distinguish a captain from a recruit, found by playing many duels.

Both follow the same rules.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class BotProfile:
    """The weights of a bot. Prices and worth are in points; a Mercenary's printed point is about one."""

    thrift: float  # how much it values its cards while two seats have cards: one that runs out ends the round
    table_thrift: float  # the same while more seats have cards and would continue without it
    spare_thrift: float  # how much of that remains while its limit would reduce what it draws (R25)
    duel_denial: float  # how much of the other's gain it counts as its own loss, with two players
    table_denial: float  # the same with more players, where others may stop them too
    foreseen: float  # which part of their hands it expects the others to spend in a battle
    urgency: float  # how much more it expects when they could win the game
    patience: float  # how likely, in its estimate, each other player passes while it plays cheap cards
    counts_cards: bool  # whether it remembers what was played
    pairs_cards: bool  # whether it plans two special cards together

    def denial(self, players: int) -> float:
        """Return how much of another's gain counts as a loss for the bot, with this number of players."""
        return self.duel_denial if players == 2 else self.table_denial


PROFILES: Mapping[str, BotProfile] = MappingProxyType(
    {
        "recruit": BotProfile(
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
        "captain": BotProfile(
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
