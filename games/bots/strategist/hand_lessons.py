"""Lessons about hands: how often others hold a card, compared with any card that a seat can't see.

Part of training, not of choosing moves.
"""

from collections.abc import Sequence

from games.rules import CARDS, Observation

from .card_numbers import numbered
from .known_cards import KnownCards
from .likely_hands import CERTAIN, EVEN, ROWS, Likelihoods, row_of
from .world_building import Dealer, is_dealt_anew

# Kinds that were never found are dealt now and then all the same: people differ from those that taught.
_LEAST = CERTAIN // 100


class HandTally:
    """Counts the cards in hands, and how many of each there would be on average if cards weren't chosen."""

    def __init__(self) -> None:
        self._found = {row: [0.0] * len(CARDS) for row in ROWS}
        self._average = {row: [0.0] * len(CARDS) for row in ROWS}

    def add(self, other: "HandTally") -> None:
        """Add what another has counted."""
        for mine, theirs in ((self._found, other._found), (self._average, other._average)):
            for row, counts in mine.items():
                mine[row] = [one + more for one, more in zip(counts, theirs[row], strict=True)]

    def count(self, seen: Observation, hands: Sequence[Sequence[str] | None]) -> None:
        """Count all hands but that of the observing seat."""
        if is_dealt_anew(seen):
            return
        unseen = Dealer(seen, KnownCards.none(seen.players), EVEN).unseen_cards()
        for seat, hand in enumerate(hands):
            if seat != seen.seat and hand:
                row = row_of(seen, seat)
                for card in numbered(hand):
                    self._found[row][card] += 1.0
                for card in unseen:
                    self._average[row][card] += len(hand) / len(unseen)

    def likelihoods(self) -> Likelihoods:
        """Return the odds of each kind of card: the likeliest of a row is certain."""
        return {row: self._odds(row) for row in ROWS}

    def _odds(self, row: tuple[str, int]) -> list[int]:
        times = [
            found / average if average else 0.0
            for found, average in zip(self._found[row], self._average[row], strict=True)
        ]
        if not any(times):
            return list(EVEN[row])
        return [max(_LEAST, round(CERTAIN * each / max(times))) for each in times]
