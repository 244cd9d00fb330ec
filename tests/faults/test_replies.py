"""Many replies at once: each turn is answered once, whatever else the mail server delivers."""

import random

import pytest

from tests.faults import replies
from tests.faults.site import Site

pytestmark = [pytest.mark.long, pytest.mark.once]


def test_no_move_is_lost_or_doubled_among_many_replies(site: Site) -> None:
    counts = replies.many(site, 15, 300, random.Random(1))
    assert counts.problems == [], counts.row() + site.logs()
    assert {"same again", "second answer", "stale", "junk", "out of office", "forged"} <= counts.more.keys()
