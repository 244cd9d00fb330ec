"""Redis fails in each of its ways: posts do not notice, and emails go out soon after its return."""

import random

import pytest

from tests.faults import broker, mail
from tests.faults.site import Site

pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_posts_are_answered_as_before_and_emails_are_caught_up(site: Site) -> None:
    for fault in (broker.down, broker.hanging, broker.flushed):
        counts = fault(site, 3, random.Random(1))
        assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_ticks_of_hours_without_a_worker_hold_up_nothing(site: Site) -> None:
    counts = mail.ticks_left(site, 1200, 20)
    assert counts.problems == [], counts.row() + site.logs()
    assert counts.more["lying there"] == 1
