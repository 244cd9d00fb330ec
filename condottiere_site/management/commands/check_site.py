"""`manage.py check_site`: try the site from outside in, and say for each line what to do."""

import sys
import textwrap
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.addresses import is_address as is_email_address
from condottiere_site.site_checks import lookups
from condottiere_site.site_checks.all_checks import guarded, run_checks
from condottiere_site.site_checks.check_results import CheckOutcome, CheckResult
from condottiere_site.site_checks.round_trip import RoundTrip, round_trip, wait_for_own, wait_for_person
from condottiere_site.site_checks.site_facts import SiteFacts, facts_of_settings, is_address

_WIDTH = 100
_NAME_WIDTH = 15
_OUTCOME_WIDTH = 8
_WAIT, _WAIT_FOR_A_PERSON = 150.0, 300.0  # seconds; a mailbox is looked into once a minute
_LONGEST_WAIT = 3600.0
_WHOLE_WORDS: Any = {"break_long_words": False, "break_on_hyphens": False}


class Command(BaseCommand):
    """Try names, https, pages, clock and mail of this site; exit with 1 if anything failed."""

    help = (
        "Tries this site from outside: names, https, pages, the clock, and an email out and back. "
        "Says for each line what to do. Exits with 1 if anything failed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add whom to write to, and what this machine can't know."""
        parser.add_argument(
            "--email", metavar="ADDRESS", help="send one email there, and read what comes back"
        )
        parser.add_argument(
            "--wait",
            type=_seconds,
            metavar="SECONDS",
            help=f"how long to wait for emails ({_WAIT:.0f}; with --email {_WAIT_FOR_A_PERSON:.0f})",
        )
        parser.add_argument(
            "--dns-server", type=_dns_server, metavar="ADDRESS", help="ask this DNS server, such as 9.9.9.9"
        )
        parser.add_argument(
            "--time-server",
            type=_time_server,
            metavar="HOST",
            help="compare the clock with this one",
        )
        parser.add_argument(
            "--sends-from",
            type=_ip_address,
            action="append",
            metavar="ADDRESS",
            help="the public IP address of the mail server, if the check can't find it out; may be repeated",
        )

    def handle(self, **options: Any) -> None:
        """Print a line for each check. Emails are on their way while the other checks run."""
        person = options["email"] or ""
        if person and not is_email_address(person):
            raise CommandError("--email takes an email address, such as you@example.org.")
        facts = facts_of_settings(
            tuple(options["sends_from"] or ()), options["time_server"] or ("pool.ntp.org", 123)
        )
        wait = options["wait"] or (_WAIT_FOR_A_PERSON if person else _WAIT)
        self.stdout.write(f"{facts.name} at {facts.url}\n\n")
        try:
            with lookups.asking(options["dns_server"]):
                counts = self._check(facts, person, wait)
        except lookups.NoDnsAnswer as error:
            raise CommandError(f"{error} Name one with --dns-server 9.9.9.9.") from error
        self.stdout.write("\n" + ", ".join(f"{counts[one]} {one}" for one in CheckOutcome) + ".")
        if counts[CheckOutcome.FAILED]:
            sys.exit(1)

    def _check(self, facts: SiteFacts, person: str, wait: float) -> Counter[CheckOutcome]:
        """Print a line for each check, and return how many ended in which way."""
        begun, counts = time.monotonic(), Counter[CheckOutcome]()
        with ExitStack() as stack:
            own = stack.enter_context(round_trip(facts))
            to_person = stack.enter_context(round_trip(facts, person)) if person else None
            self._print(run_checks(facts), counts)
            self._tell_of_waiting(facts, person, own, wait)
            self._print(guarded("out and back", lambda: wait_for_own(facts, own, begun, wait)), counts)
            if person:
                self._print(guarded("email", lambda: wait_for_person(facts, to_person, begun, wait)), counts)
        return counts

    def _tell_of_waiting(self, facts: SiteFacts, person: str, own: RoundTrip | None, wait: float) -> None:
        if person and facts.mail_server and facts.own_mailbox:
            self.stderr.write(f"Reply to the email that {person} gets.")
        if facts.mail_server and (person or own is not None):
            self.stderr.write(f"Waiting at most {wait:.0f} s for an answer. Ctrl-C ends the waiting.")

    def _print(self, results: Iterable[CheckResult], counts: Counter[CheckOutcome]) -> None:
        for result in results:
            counts[result.outcome] += 1
            self.stdout.write(self._line(result))
            self.stdout.flush()

    def _line(self, result: CheckResult) -> str:
        """Return outcome, name and sentence in columns, with what to do below."""
        outcome = f"{result.outcome:<{_OUTCOME_WIDTH}}"
        if self.stdout.isatty():
            outcome = self._style(result.outcome)(outcome)
        head = f"{outcome} {result.name:<{_NAME_WIDTH}} "
        indent = " " * (_OUTCOME_WIDTH + _NAME_WIDTH + 2)
        texts = [text for text in (result.sentence, result.advice) if text]
        lines = [line for text in texts for line in textwrap.wrap(text, _WIDTH - len(indent), **_WHOLE_WORDS)]
        return head + f"\n{indent}".join(lines)

    def _style(self, outcome: CheckOutcome) -> Callable[[str], str]:
        styles = {CheckOutcome.OK: "SUCCESS", CheckOutcome.WARNING: "WARNING", CheckOutcome.FAILED: "ERROR"}
        found: Callable[[str], str] = getattr(self.style, styles.get(outcome, ""), str)
        return found


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _LONGEST_WAIT:
        raise ArgumentTypeError("a number of seconds, at most 3600")
    return seconds


def _dns_server(text: str) -> tuple[str, int]:
    try:
        return lookups.dns_server(text)
    except ValueError as error:
        raise ArgumentTypeError("an IP address, such as 9.9.9.9") from error


def _time_server(text: str) -> tuple[str, int]:
    host, colon, port = text.partition(":")
    if not host or (colon and not port.isdigit()):
        raise ArgumentTypeError("a host name, such as pool.ntp.org")
    return host, int(port or 123)


def _ip_address(text: str) -> str:
    if not is_address(text):
        raise ArgumentTypeError("an IP address, such as 203.0.113.5")
    return text
