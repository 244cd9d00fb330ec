"""Clocks jump, and no one ticks for hours: time is given back, nothing is enforced, emails go out."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from collections.abc import Iterable
from datetime import datetime, timedelta

from tests.faults.counts import Counts, Tally
from tests.faults.site import Site
from tests.servers import wait_until

TICKED_WITHIN = 40.0
SLACK = timedelta(minutes=2)
YEAR = 365.0 * 24  # hours
SESSION = (
    "INSERT INTO django_session (session_key, session_data, expire_date) "
    "VALUES ('kept', '', now() + interval '14 days') ON CONFLICT DO NOTHING"
)
SESSIONS = "SELECT count(*) FROM django_session WHERE session_key = 'kept'"


def no_beat(site: Site, hours: float, emails: int) -> Counts:
    """Beat does not run for hours, and half the players' deadlines pass."""
    counts, tally = Counts(f"no beat for {hours:.0f} h"), Tally(site)
    before = _asked(site)
    _ticking(site)
    site.processes_named("beat").kill()
    site.processes_named("worker").kill()  # which would see that its clock was set
    site.queue_greetings(emails)
    site.set_clock(hours)
    site.start_worker(FAULTS_CLOCK=str(site.clock))
    site.start_beat(FAULTS_CLOCK=str(site.clock))
    _wait_ticked(site, hours)
    counts.seconds = site.wait_all_out()
    _check_given_back(site, counts, before, timedelta(hours=hours))
    tally.count(counts)
    counts.expect_soon(counts.seconds <= TICKED_WITHIN, f"emails were out after {counts.seconds:.0f} s")
    return counts


def set_ahead_and_back(site: Site, hours: float, emails: int) -> Counts:
    """The machine's clock is set ahead by hours while the site runs, and corrected later."""
    counts, tally = Counts(f"clock {hours:.0f} h ahead and back"), Tally(site)
    before = _asked(site)
    _ticking(site)
    site.set_clock(hours)
    _wait_ticked(site, hours)
    _check_given_back(site, counts, before, timedelta(hours=hours))
    site.processes_named("worker").kill()
    site.queue_greetings(emails // 2, hours_old=-hours)  # not before a moment that will be hours away
    site.set_clock(0)
    site.start_worker(FAULTS_CLOCK=str(site.clock))
    _wait_ticked(site, 0)
    counts.seconds = _more_emails_out(site, counts, emails - emails // 2)
    _check_none_earlier(site, counts, before)
    tally.count(counts)
    return counts


def a_year_ahead(site: Site, emails: int) -> Counts:
    """The clock is set ahead by a year: nothing is sent, enforced or deleted until it's put back."""
    counts, tally = Counts("clock a year ahead and back"), Tally(site)
    before = _asked(site)
    _ticking(site)
    site.start_web(FAULTS_CLOCK=str(site.clock))
    site.wait_page()
    site.ask(SESSION)
    site.set_clock(YEAR)
    wait_until(lambda: _failed(site) >= {"clock"}, "/readyz to say that the clock is wrong")
    _wait_ticked(site, YEAR)
    site.queue_greetings(emails)
    time.sleep(20)  # in which all tasks would have run
    counts.expect(site.waiting() == emails, f"{emails - site.waiting()} emails left by a wrong clock")
    counts.expect(site.ask(SESSIONS)[0][0], "sessions were deleted")
    _check_given_back(site, counts, before, timedelta(hours=YEAR))
    site.set_clock(0)
    _wait_ticked(site, 0)
    counts.seconds = site.wait_all_out()
    wait_until(lambda: "clock" not in _failed(site), "/readyz to say that the clock is right")
    _check_none_earlier(site, counts, before)
    tally.count(counts)
    said = [line for line in site.logs(["worker"]).splitlines() if "clock was set ahead by 365 days" in line]
    counts.expect(len(said) == 1, f"the worker's log says {len(said)} times that the clock is wrong")
    return counts


def set_back(site: Site, hours: float, emails: int) -> Counts:
    """The machine's clock is set back by hours: ticks continue, and no deadline comes sooner."""
    counts, tally = Counts(f"clock {hours:.0f} h back"), Tally(site)
    before = _asked(site)
    _ticking(site)
    site.set_clock(-hours)
    _wait_ticked(site, -hours)
    counts.seconds = _more_emails_out(site, counts, emails, hours_old=hours)
    _check_clock_played_nothing(site, counts, before)
    tally.count(counts)
    counts.more["decisions"] = len(before)
    return counts


def machines_differ(site: Site, minutes: float, emails: int) -> Counts:
    """The workers' clock differs from beat's."""
    counts, tally = Counts(f"workers' clock {minutes:.0f} min ahead of beat's"), Tally(site)
    site.set_clock(minutes / 60)
    site.start_worker(FAULTS_CLOCK=str(site.clock))
    site.start_beat()
    site.queue_greetings(emails)
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    return counts


def _failed(site: Site) -> set[str]:
    """Return the signs that have failed, as /readyz says."""
    try:
        with urllib.request.urlopen(f"{site.address}/readyz", timeout=10) as page:
            lines = page.read().decode().splitlines()
    except urllib.error.HTTPError as error:
        lines = error.read().decode().splitlines()
    return {line.partition(":")[0] for line in lines if line.endswith(": failed")}


def _asked(site: Site) -> dict[int, datetime]:
    """Return deadlines by seat, of games whose players have six hours each."""
    site.ask("UPDATE games_seat SET due_at = NULL, counted_from = NULL, remind_at = NULL")
    site.staged("games", "2", "hours")
    rows = site.ask("SELECT id, due_at FROM games_seat WHERE due_at IS NOT NULL")
    assert rows
    return dict(rows)


def _ticking(site: Site) -> None:
    """Start worker and beat with a clock that can be set, and wait for a tick."""
    site.ask("DELETE FROM games_heartbeat")
    site.start_worker(FAULTS_CLOCK=str(site.clock))
    site.start_beat(FAULTS_CLOCK=str(site.clock))
    _wait_ticked(site, 0)
    site.wait_all_out()


def _wait_ticked(site: Site, hours: float) -> None:
    """Wait until a tick of the clocks has seen this time."""

    def has_ticked() -> bool:
        seen = "SELECT count(*) FROM games_heartbeat WHERE abs(extract(epoch FROM at - now()) - %s) < 120"
        return bool(site.ask(seen, hours * 3600)[0][0])

    wait_until(has_ticked, "the clock's tick")


def _check_given_back(site: Site, counts: Counts, before: dict[int, datetime], lost: timedelta) -> None:
    """Each deadline moved by as much as no one ticked, and nothing was played for anyone.

    Time is given back game by game after the tick that saw the gap, so it is waited for.
    """
    all_given = "SELECT count(*) FROM games_outage WHERE given_up_to IS NOT NULL"
    wait_until(lambda: site.ask(all_given)[0][0] == 0, "the time to be given back")
    after = _deadlines(site, before)
    given = [after[seat] - due for seat, due in before.items()]
    counts.more |= {"decisions": len(before), "given back": f"{min(given).total_seconds() / 3600:.2f} h"}
    counts.expect(min(given) > lost - SLACK, f"of {lost} only {min(given)} were given back")
    counts.expect(max(given) < lost + SLACK, f"{max(given)} were given back for {lost}")
    _check_clock_played_nothing(site, counts, before)


def _check_none_earlier(site: Site, counts: Counts, before: dict[int, datetime]) -> None:
    after = _deadlines(site, before)
    counts.expect(all(after[seat] >= due for seat, due in before.items()), "a deadline came sooner")
    _check_clock_played_nothing(site, counts, before)


def _check_clock_played_nothing(site: Site, counts: Counts, seats: Iterable[int]) -> None:
    """Check the games of these seats; the site may have others from another fault."""
    played = site.ask(
        "SELECT count(*) FROM games_logentry WHERE via = 'clock' AND game_id IN (SELECT game.id"
        " FROM games_game game JOIN games_seat seat USING (table_id) WHERE seat.id = ANY(%s))",
        list(seats),
    )[0][0]
    counts.expect(not played, f"the clock played {played} moves")


def _deadlines(site: Site, seats: dict[int, datetime]) -> dict[int, datetime]:
    return dict(site.ask("SELECT id, due_at FROM games_seat WHERE id = ANY(%s)", list(seats)))


def _more_emails_out(site: Site, counts: Counts, emails: int, *, hours_old: float = 0) -> float:
    site.queue_greetings(emails, hours_old=hours_old)
    seconds = site.wait_all_out()
    counts.expect_soon(seconds <= TICKED_WITHIN, f"emails were out after {seconds:.0f} s")
    return seconds
