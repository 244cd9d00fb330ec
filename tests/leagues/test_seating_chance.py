"""Reproducible draws, and pairings that must be the same on every machine forever."""

import hashlib
import hmac
from collections import Counter
from fractions import Fraction

import pytest

from games.leagues.seating import history_of, plan_rounds, seat_round
from games.leagues.seating.values import Lots
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


def test_seatings_that_were_published_are_found_again() -> None:
    """A season in play is seated from its seed round by round: what this finds must not change under it."""
    rounds = one_by_one(range(13), 4, 4)
    scores = {player: Fraction(player * player % 11, 3) for player in range(13)}
    assert digest([(seated.tables, seated.byes) for seated in rounds]) == "0c5f21cf7430d681"
    swiss = seat_round(range(13), 4, history_of(rounds), b"swiss", scores=scores)
    assert digest(swiss.tables, swiss.byes) == "8e31cf0e07940a38"
    plan = plan_rounds(range(18), 4, 6, b"plan")
    assert digest([(seated.tables, seated.byes) for seated in plan]) == "256dcf5ff386623a"
