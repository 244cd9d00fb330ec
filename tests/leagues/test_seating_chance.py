"""Reproducible draws, and pairings that must be the same on every machine forever."""

import hashlib
import hmac
from collections import Counter
from fractions import Fraction

import pytest

from games.leagues.seating import history_of, plan_rounds, seat_round
from games.leagues.seating.lots import Lots
from tests.leagues.seating_by_hand import one_by_one

pytestmark = pytest.mark.once


def test_lots_are_the_words_of_hmac_blocks() -> None:
    key = hashlib.sha256(b"condottiere-seating-1 a purpose\n" + b"seed").digest()
    blocks = b"".join(hmac.new(key, number.to_bytes(4, "big"), "sha256").digest() for number in range(3))
    words = [int.from_bytes(blocks[at : at + 4], "big") for at in range(0, 96, 4)]
    lots = Lots(b"seed", "a purpose")
    assert [lots.below(1 << 32) for _word in words] == words
    lots = Lots(b"seed", "a purpose")
    assert [lots.below(64) for _word in words] == [word % 64 for word in words]


def test_words_that_would_favour_small_numbers_are_skipped() -> None:
    bound = (1 << 31) + 1  # about every second word is too high
    every, skipping = Lots(b"", ""), Lots(b"", "")
    words = [every.below(1 << 32) for _word in range(200)]
    kept = [word for word in words if word < bound]
    assert [skipping.below(bound) for _word in kept] == kept


def test_each_order_is_drawn_about_as_often() -> None:
    lots = Lots(b"fair", "")
    orders = Counter(tuple(lots.shuffled(range(3))) for _draw in range(6000))
    assert len(orders) == 6
    assert all(900 < times < 1100 for times in orders.values())


def digest(*seated: object) -> str:
    return hashlib.sha256(repr(seated).encode()).hexdigest()[:16]


def test_seatings_that_were_published_are_found_again(long: bool) -> None:
    """A season in play is seated from its seed round by round: what this finds must not change under it."""
    for players, found, found_swiss in (
        (12, "2591616493ff9152", "1f4283d2b98c72f8"),
        (13, "1519a0f6a0f4108a", "c1316ec930a45474"),
    ):
        rounds = one_by_one(range(players), 4, 4)
        scores = {player: Fraction(player * player % 11, 3) for player in range(players)}
        assert digest([(seated.tables, seated.byes) for seated in rounds]) == found
        swiss = seat_round(range(players), 4, history_of(rounds), b"swiss", scores=scores)
        assert digest(swiss.tables, swiss.byes) == found_swiss
    for players, found in ((18, "cbfb787308b2c5f8"), *([(20, "0d8ca4c97dbd070f")] if long else [])):
        plan = plan_rounds(range(players), 4, 6, b"plan")
        assert digest([(seated.tables, seated.byes) for seated in plan]) == found
