"""Mail workers are killed and stopped: no letter is lost, and few are doubled."""

import random

import pytest

from tests.faults import mail
from tests.faults.site import Site

pytestmark = [pytest.mark.once, pytest.mark.timeout(120)]


def test_workers_killed_at_random_lose_no_letter(site: Site) -> None:
    counts = mail.killed_at_random(site, 3, 90, random.Random(1))
    assert counts.problems == [], counts.row() + site.logs()


def test_workers_killed_right_after_the_250_lose_none_and_double_those_in_flight_alone(site: Site) -> None:
    counts = mail.killed_after_250(site, 2, 40, random.Random(2))
    assert counts.problems == [], counts.row() + site.logs()


def test_a_worker_asked_to_stop_finishes_its_letter_and_doubles_none(site: Site) -> None:
    counts = mail.asked_to_stop(site, 2, 400, random.Random(3))
    assert counts.problems == [], counts.row() + site.logs()


def test_two_beats_double_nothing(site: Site) -> None:
    counts = mail.beats(site, 40, random.Random(4))
    assert counts.problems == [], counts.row() + site.logs()
