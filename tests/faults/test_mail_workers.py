"""Mail workers are killed and stopped: no email is lost, and few are doubled."""

import random

import pytest

from tests.faults import mail
from tests.faults.site import Site

pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_killed_workers_lose_no_email_and_double_those_in_flight_alone(site: Site) -> None:
    counts = mail.killed_both_ways(site, 4, 80, random.Random(1))
    assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_a_worker_asked_to_stop_finishes_its_email_and_doubles_none(site: Site) -> None:
    counts = mail.asked_to_stop(site, 2, 300, random.Random(3))
    assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_two_beats_double_nothing(site: Site) -> None:
    counts = mail.beats(site, 40, random.Random(4))
    assert counts.problems == [], counts.row() + site.logs()
