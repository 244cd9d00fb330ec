"""No tick runs for hours, and clocks jump: no one runs out of time for it, and emails go out."""

import pytest

from tests.faults import clocks
from tests.faults.site import Site

pytestmark = [pytest.mark.once]


@pytest.mark.long
def test_hours_without_beat_are_given_back_and_emails_go_out(site: Site) -> None:
    counts = clocks.no_beat(site, 6, 20)
    assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_a_clock_set_ahead_and_back_costs_no_one_their_time(site: Site) -> None:
    counts = clocks.set_ahead_and_back(site, 5, 20)
    assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_a_clock_a_year_ahead_sends_enforces_and_deletes_nothing(site: Site) -> None:
    counts = clocks.a_year_ahead(site, 20)
    assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_a_clock_set_back_stops_no_ticks(site: Site) -> None:
    counts = clocks.set_back(site, 5, 20)
    assert counts.problems == [], counts.row() + site.logs()


@pytest.mark.long
def test_emails_go_out_where_two_machines_clocks_differ(site: Site) -> None:
    counts = clocks.machines_differ(site, 3, 20)
    assert counts.problems == [], counts.row() + site.logs()
