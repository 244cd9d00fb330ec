"""The provable shuffle against straight code written from the text of RECORD.md, and against fixed values."""

import hashlib
import hmac

import pytest

from games.rules import (
    CARDS,
    Options,
    commitment,
    first_condottiere,
    game_key,
    new_game,
    nonce_from_secret,
    nonce_from_words,
    shuffled,
)

SECRET = bytes(range(32))
DECK = new_game(Options(), 2, 0).shuffle_pile


def _by_the_text(key: bytes, k: int, cards: list[str]) -> list[str]:
    """Shuffle by Fisher and Yates exactly as RECORD.md says."""
    data = b""
    for block in range(200):
        message = b"condottiere-shuffle-1" + k.to_bytes(4, "big") + block.to_bytes(4, "big")
        data += hmac.new(key, message, hashlib.sha256).digest()
    words = [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]
    pile = sorted(cards, key=CARDS.index)
    for i in range(len(pile) - 1, 0, -1):
        while words[0] >= 2**32 - (2**32 % (i + 1)):
            words.pop(0)
        j = words.pop(0) % (i + 1)
        pile[i], pile[j] = pile[j], pile[i]
    return pile


def test_a_shuffle_is_the_one_the_text_describes() -> None:
    for k in range(20):
        key = hashlib.sha256(bytes([k])).digest()
        assert list(shuffled(key, k, DECK)) == _by_the_text(key, k, list(DECK))
        assert list(shuffled(key, k, DECK[k:])) == _by_the_text(key, k, list(DECK[k:]))


def test_a_shuffle_does_not_hang_on_the_order_it_is_given() -> None:
    assert shuffled(SECRET, 0, reversed(DECK)) == shuffled(SECRET, 0, DECK)
    assert sorted(shuffled(SECRET, 0, DECK)) == sorted(DECK)
    assert shuffled(SECRET, 0, ()) == ()
    assert shuffled(SECRET, 0, ("5",)) == ("5",)
    with pytest.raises(KeyError):
        shuffled(SECRET, 0, ("5", "fish"))


def test_words_that_favour_small_numbers_are_skipped() -> None:
    from games.rules import shuffle

    words = iter([2**32 - 1, 2**32 - 2, 7])
    assert shuffle.below(6, words) == 7 % 6
    assert shuffle.below(2**31, iter([2**32 - 1])) == 2**31 - 1


def test_nonces_commitment_and_key_are_as_the_text_says() -> None:
    assert commitment(SECRET) == hashlib.sha256(SECRET).hexdigest()
    words = nonce_from_words("Żółw 1")
    assert words == hashlib.sha256("Żółw 1".encode()).digest()[:16]
    message = b"condottiere-nonce-1\x00\x00\x00\x03"
    assert nonce_from_secret(SECRET, 3) == hmac.new(SECRET, message, hashlib.sha256).digest()[:16]
    key = hashlib.sha256(b"condottiere-seed-1" + SECRET + words + b"\0" * 16).digest()
    assert game_key(SECRET, [words, b"\0" * 16]) == key


def test_the_first_condottiere_is_drawn_by_the_first_word_accepted() -> None:
    for number in range(30):
        key = hashlib.sha256(bytes([number])).digest()
        block = hmac.new(key, b"condottiere-first-1\0\0\0\0", hashlib.sha256).digest()
        for players in range(2, 7):
            accepted = [
                word
                for word in (int.from_bytes(block[at : at + 4], "big") for at in range(0, 32, 4))
                if word < 2**32 - 2**32 % players
            ]
            assert first_condottiere(key, players) == accepted[0] % players


def test_the_values_of_today_are_those_of_tomorrow() -> None:
    """Fixed values: a published record must remain provable."""
    key = game_key(SECRET, [nonce_from_secret(SECRET, seat) for seat in range(3)])
    assert key.hex() == "31bd9f71902abe49dd37d444ef9c80485fb4585d726a6384ec9f7bd4d73300f8"
    assert " ".join(shuffled(key, 0, DECK)[:10]) == "bishop heroine 1 2 bishop 4 6 courtesan 10 3"
    assert (
        " ".join(shuffled(key, 7, DECK)[:10])
        == "6 drummer winter scarecrow courtesan spring courtesan courtesan 1 drummer"
    )
    assert [first_condottiere(key, players) for players in range(2, 7)] == [1, 0, 1, 3, 3]
