"""Repeatable chance: the same seed gives the same numbers on every machine and in every version of Python."""

from collections.abc import Sequence
from hashlib import sha256

_MULTIPLIER, _INCREMENT = 6364136223846793005, 1442695040888963407  # Knuth's MMIX
_MASK = (1 << 64) - 1
# The low bits of such a generator repeat soon.
_SHIFT, _SPAN = 33, 1 << 31


class Chance:
    """A linear congruential generator."""

    __slots__ = ("_state",)

    def __init__(self, state: int) -> None:
        self._state = state & _MASK

    @classmethod
    def of(cls, seed: str) -> "Chance":
        """Return the generator of a seed."""
        digest = sha256(seed.encode("utf-8", "surrogateescape")).digest()
        return cls(int.from_bytes(digest[:8], "big"))

    def below(self, limit: int) -> int:
        """Return a number from 0 to below `limit`."""
        self._state = state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return (state >> _SHIFT) * limit // _SPAN

    def draw(self, cards: list[int], count: int) -> tuple[int, ...]:
        """Take this many cards out of the list, in order of their numbers."""
        drawn = []
        for _ in range(count):
            at = self.below(len(cards))
            drawn.append(cards[at])
            cards[at] = cards[-1]
            cards.pop()
        drawn.sort()
        return tuple(drawn)

    def draw_likely(self, cards: list[int], count: int, odds: Sequence[int]) -> tuple[int, ...]:
        """Take this many cards out of the list, each kind in proportion to its odds.

        Odds are thousandths, and none may be 0: a list of nothing else would never end.
        """
        drawn: list[int] = []
        while len(drawn) < count:
            at = self.below(len(cards))
            if self.below(1000) < odds[cards[at]]:
                drawn.append(cards[at])
                cards[at] = cards[-1]
                cards.pop()
        drawn.sort()
        return tuple(drawn)


def growth(exponent: float) -> float:
    """Return roughly e to the power of `exponent`, by multiplication alone.

    `math.exp` may differ in its last digit between machines, which could change a move.
    """
    power = 1.0 + max(exponent, -30.0) / 256.0
    for _ in range(8):
        power *= power
    return power
