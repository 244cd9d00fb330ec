"""The mail server is down, busy, erratic or silent: nothing is lost, and a bad email delays no other."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from tests.faults import sink as moods
from tests.faults.counts import Counts, Tally
from tests.faults.site import Site
from tests.servers import wait_until

BACK_WITHIN = 30.0
GOOD_WITHIN = 20.0  # seconds in which the good emails of a small pile go out next to the bad ones

BAD_EMAILS = {
    "4xx at RCPT": moods.LATER,
    "5xx at RCPT": moods.NEVER,
    "4xx after DATA": moods.LATER_AFTER_DATA,
    "5xx after DATA": moods.NEVER_AFTER_DATA,
    "silence after DATA": moods.HANG,
    "cut before 250": moods.CUT_BEFORE_250,
    "cut after 250": moods.CUT_AFTER_250,
}


def refusing(site: Site, emails: int, seconds: float) -> Counts:
    """No one listens."""
    return _away(site, "SMTP: refuses connections", emails, seconds, site.close_sink, site.open_sink)


def never_greeting(site: Site, emails: int, seconds: float) -> Counts:
    """Accept connections and never say anything."""

    def go_silent() -> None:
        site.sink.greets = False

    def greet() -> None:
        site.sink.greets = True

    return _away(site, "SMTP: never greets", emails, seconds, go_silent, greet)


def _away(
    site: Site,
    fault: str,
    emails: int,
    seconds: float,
    leave: Callable[[], None],
    come_back: Callable[[], None],
) -> Counts:
    counts, tally = Counts(fault), Tally(site)
    site.start_missing("worker", "beat")
    leave()
    site.queue_greetings(emails)
    time.sleep(seconds)
    told = site.ask("SELECT count(*) FROM mail_outgoingemail WHERE state = 'queued' AND attempts > 1")[0][0]
    counts.expect(told == 0, f"{told} emails lost tries to a server that takes none")
    come_back()
    counts.seconds = site.wait_all_out()
    tally.count(counts)
    counts.more["for"] = f"{seconds:.0f} s"
    counts.expect(not counts.doubled, f"{counts.doubled} emails were doubled")
    counts.expect_soon(
        counts.seconds <= BACK_WITHIN, f"the last was out {counts.seconds:.0f} s after its return"
    )
    return counts


def bad_emails(site: Site, name: str, emails: int) -> Counts:
    """Some emails meet this mood, again and again; the others go out in the same time.

    An email that is pondered for long keeps one of the worker's two threads, so there is one of that kind.
    """
    mood = BAD_EMAILS[name]
    bad = 1 if mood == moods.HANG else 2
    counts, tally = Counts(f"SMTP: {name} for {bad} of {emails}"), Tally(site)
    site.sink.mood = lambda address: mood if address.startswith("bad") else moods.ACCEPT
    site.queue_greetings(bad, addresses="bad#@example.org", hours_old=1)
    site.queue_greetings(emails - bad)
    began = time.monotonic()
    site.start_missing("worker", "beat")
    wait_until(lambda: _good_are_out(site), "the good emails")
    counts.seconds = time.monotonic() - began
    wait_until(lambda: _bad_were_tried(site) == bad, "the bad emails to be tried")
    site.sink.mood = lambda address: moods.ACCEPT
    site.let_time_pass()
    site.wait_all_out()
    tally.may_double.update(site.sink.cut)
    tally.count(counts)
    failed = site.ask(
        "SELECT count(*) FROM mail_outgoingemail WHERE state = 'failed' AND to_address LIKE 'bad%%'"
    )[0][0]
    site.ask("DELETE FROM mail_suppressedaddress")
    site.ask("DELETE FROM mail_outgoingemail WHERE to_address LIKE 'bad%%'")
    counts.more["given up, and said so"] = failed
    counts.expect(failed == (bad if mood[:1] == "5" else 0), f"{failed} emails were given up")
    counts.expect_soon(
        counts.seconds <= GOOD_WITHIN + emails / 20, f"the others waited {counts.seconds:.0f} s"
    )
    return counts


def _good_are_out(site: Site) -> bool:
    held_up = "state = 'queued' AND to_address NOT LIKE 'bad%%'"
    return not site.ask(f"SELECT count(*) FROM mail_outgoingemail WHERE {held_up}")[0][0]


def _bad_were_tried(site: Site) -> int:
    tried = "to_address LIKE 'bad%%' AND leased_until IS NULL AND (attempts > 0 OR state <> 'queued')"
    return int(site.ask(f"SELECT count(*) FROM mail_outgoingemail WHERE {tried}")[0][0])


def slow(site: Site, emails: int, each: float) -> Counts:
    """The server is slow with every email."""
    counts, tally = Counts(f"SMTP: {each:.0f} s for each email"), Tally(site)
    site.sink.takes_seconds = each
    site.queue_greetings(emails)
    began = time.monotonic()
    site.start_missing("worker", "beat")
    site.wait_all_out()
    counts.seconds = time.monotonic() - began
    tally.count(counts)
    counts.expect(not counts.doubled, f"{counts.doubled} emails were doubled")
    return counts


def cut_at_times(site: Site, emails: int, rng: random.Random) -> Counts:
    """Store about every tenth email and then cut the connection, before or after its 250."""
    counts, tally = Counts("SMTP: a tenth cut off after DATA"), Tally(site)
    fate: dict[str, str] = {}

    def mood(address: str) -> str:
        if any(email.to == address for email in site.sink.taken[-50:]) and address in fate:
            return moods.ACCEPT
        return fate.setdefault(address, _one_of_ten(rng))

    site.sink.mood = mood
    site.queue_greetings(emails)
    began = time.monotonic()
    site.start_missing("worker", "beat")
    site.wait_all_out()
    counts.seconds = time.monotonic() - began
    tally.may_double.update(site.sink.cut)
    tally.count(counts)
    counts.more["cut off before its 250"] = len(site.sink.cut)
    return counts


def _one_of_ten(rng: random.Random) -> str:
    return rng.choice([moods.CUT_BEFORE_250, moods.CUT_AFTER_250] + [moods.ACCEPT] * 18)
