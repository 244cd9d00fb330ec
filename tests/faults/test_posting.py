"""A post notices neither a Redis that hangs nor a mail server that takes two seconds for each email."""

import random

import pytest

from tests.faults import posting
from tests.faults.site import Site

# Waiting for either server would take seconds, fifty times as long. `python -m tests.faults` judges a third.
NOT_WAITING = 3.0


@pytest.mark.once
@pytest.mark.long
def test_moves_are_posted_as_fast_while_redis_hangs_or_the_mail_server_is_slow(site: Site) -> None:
    counts = posting.alongside_trouble(site, 2, 2, random.Random(1))
    assert counts.problems == [], counts.row() + site.logs()
    assert counts.ratios.keys() == {"Redis hangs", "slow mail server"}
    assert max(counts.ratios.values()) < NOT_WAITING, counts.row()
