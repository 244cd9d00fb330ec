"""The mail server fails in each of its ways: nothing is lost, and no bad email holds up the others."""

import random

import pytest

from tests.faults import smtp
from tests.faults.site import Site

pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_emails_wait_for_a_server_that_is_away(site: Site) -> None:
    for away in (smtp.refusing, smtp.never_greeting):
        counts = away(site, 10, 2)
        assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_bad_emails_hold_up_no_others(site: Site) -> None:
    for name in smtp.BAD_EMAILS:
        counts = smtp.bad_emails(site, name, 10)
        assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_a_slow_server_gets_each_email_once(site: Site) -> None:
    counts = smtp.slow(site, 6, 0.5)
    assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_emails_cut_off_at_times_come_again_under_the_same_message_id(site: Site) -> None:
    counts = smtp.cut_at_times(site, 30, random.Random(3))
    assert counts.problems == [], counts.row() + site.logs()
    assert counts.more["cut off before its 250"]
