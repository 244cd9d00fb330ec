"""The provable shuffle: from a secret and the players' words to the order of the cards (RECORD.md).

Only hashing: no random generator, no clock. The secret itself is drawn elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from hmac import digest

from .cards import NUMBER_OF

NONCE_BYTES = 16
_WORD_BYTES = 4
_WORD_RANGE = 1 << 32


def commitment(secret: bytes) -> str:
    """Return what is published before anyone joins: SHA-256 of the secret, 64 hex digits."""
    return sha256(secret).hexdigest()


def chain_of_secrets(last: bytes, length: int) -> tuple[bytes, ...]:
    """Return the secrets of a match in the order of its games.

    Each is the SHA-256 of the next. So the commitment of every game but the first is the previous game's
    secret.
    """
    chain = [last]
    while len(chain) < length:
        chain.append(sha256(chain[-1]).digest())
    return tuple(reversed(chain))


def nonce_from_words(words: str) -> bytes:
    """Return 16 bytes from words as a player typed them."""
    return sha256(words.encode("utf-8")).digest()[:NONCE_BYTES]


def nonce_from_secret(secret: bytes, seat: int) -> bytes:
    """Return 16 bytes for a bot, or for a player who gave no words."""
    return digest(secret, b"condottiere-nonce-1" + _number(seat), "sha256")[:NONCE_BYTES]


def game_key(secret: bytes, nonces: Iterable[bytes]) -> bytes:
    """Return the key of a game, fixed when everyone has confirmed; the nonces are in seat order."""
    return sha256(b"condottiere-seed-1" + secret + b"".join(nonces)).digest()


def drawn_seats(secret: bytes, nonces: Sequence[bytes]) -> tuple[int, ...]:
    """Return for each seat the index of the nonce that gets it, for games where players are anonymous.

    `nonces` are in the order in which the players sat down, b"" for a player who gave no words. The seats
    follow from the secret and the words alone. So anyone who holds the secret has nothing to choose.
    """
    order = sorted(range(len(nonces)), key=lambda at: (not nonces[at], nonces[at]))
    key = sha256(b"condottiere-seats-1" + secret + b"".join(nonces[at] for at in order)).digest()
    drawn = words(key, b"condottiere-seats-1")
    for last in range(len(order) - 1, 0, -1):
        other = below(last + 1, drawn)
        order[last], order[other] = order[other], order[last]
    return tuple(order)


def shuffled(key: bytes, k: int, cards: Iterable[str]) -> tuple[str, ...]:
    """Return the k-th shuffle (from 0) of a game, from the top; the order of `cards` doesn't matter.

    Raises KeyError for an unknown card.
    """
    pile = sorted(cards, key=NUMBER_OF.__getitem__)
    drawn = words(key, b"condottiere-shuffle-1" + _number(k))
    for last in range(len(pile) - 1, 0, -1):
        other = below(last + 1, drawn)
        pile[last], pile[other] = pile[other], pile[last]
    return tuple(pile)


def first_condottiere(key: bytes, players: int) -> int:
    """Return the seat that is drawn as the first Condottiere."""
    return below(players, words(key, b"condottiere-first-1"))


def drawn_by_clock(key: bytes, ply: int, count: int) -> int:
    """Return which of `count` moves the site draws for a seat that ran out of time, as log entry `ply`."""
    return below(count, words(key, b"condottiere-clock-1" + _number(ply)))


def _number(number: int) -> bytes:
    return number.to_bytes(4, "big")


def words(key: bytes, label: bytes) -> Iterator[int]:
    """Yield unsigned 32-bit words, read in order from the blocks of this label."""
    block = 0
    while True:
        data = digest(key, label + _number(block), "sha256")
        for at in range(0, len(data), _WORD_BYTES):
            yield int.from_bytes(data[at : at + _WORD_BYTES], "big")
        block += 1


def below(bound: int, drawn: Iterator[int]) -> int:
    """Return the next word modulo the bound, skipping words that would favour small numbers."""
    limit = _WORD_RANGE - _WORD_RANGE % bound
    return next(word for word in drawn if word < limit) % bound
