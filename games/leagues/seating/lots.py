"""Lots drawn from a published seed, so that anyone can draw them again: HMAC-SHA256 read as numbers."""

from collections.abc import Iterable
from hashlib import sha256
from hmac import digest

_BLOCK_BYTES, _WORD_BYTES = 32, 4
_WORD_RANGE = 1 << 32


class Lots:
    """Lots of one seed and one purpose, drawn one after the other.

    Block k is HMAC-SHA256(key, k as four bytes), read as eight numbers of four bytes, big-endian.
    The key is SHA-256 of the purpose and the seed.
    """

    def __init__(self, seed: bytes, purpose: str) -> None:
        self._key = sha256(f"condottiere-seating-1 {purpose}\n".encode() + seed).digest()
        self._block = 0
        self._words: list[int] = []  # of the current block, the next one last

    def below(self, bound: int) -> int:
        """Return a number from 0 to below the bound; words that would favour small numbers are skipped."""
        limit = _WORD_RANGE - _WORD_RANGE % bound
        while (word := self._next_word()) >= limit:
            pass
        return word % bound

    def shuffled(self, things: Iterable[int]) -> list[int]:
        """Return these in an order drawn by lot (Fisher and Yates, from the end)."""
        order = list(things)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def _next_word(self) -> int:
        if not self._words:
            data = digest(self._key, self._block.to_bytes(4, "big"), "sha256")
            starts = reversed(range(0, _BLOCK_BYTES, _WORD_BYTES))
            self._words = [int.from_bytes(data[at : at + _WORD_BYTES], "big") for at in starts]
            self._block += 1
        return self._words.pop()
