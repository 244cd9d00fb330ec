"""PostgreSQL's primary is killed under play, and its standby promoted."""

import random

import pytest

from tests.faults import standby

pytestmark = [pytest.mark.long, pytest.mark.once]


def test_a_synchronous_standby_loses_no_move(site: object) -> None:
    """`site` shows only that there are servers here."""
    counts = standby.promoted(1, random.Random(1), is_synchronous=True)
    assert counts.problems == [], counts.row()


def test_a_synchronous_standby_that_is_behind_lets_moves_wait(site: object) -> None:
    counts = standby.promoted(1, random.Random(2), is_synchronous=True, behind=2)
    assert counts.problems == [], counts.row()


def test_an_asynchronous_standby_loses_only_what_it_was_behind(site: object) -> None:
    counts = standby.promoted(1, random.Random(3), is_synchronous=False, behind=2)
    assert counts.problems == [], counts.row()
