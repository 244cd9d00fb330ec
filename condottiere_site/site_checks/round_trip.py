"""An email out and back: it goes through outbox, worker and mail server like any other.

The command waits for what the worker and the receiving part write into rows.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from email.message import Message

from django.db import DatabaseError, connection

from accounts.mail.bounces import failure_reported
from accounts.mail.check_emails import queue_check_email
from accounts.mail.models import CheckEmail, OutgoingEmail
from accounts.mail.receiving import Unreadable, reading
from accounts.mail.return_paths import return_path
from condottiere_site.site_checks.check_results import CheckResult, failed, passed, skipped
from condottiere_site.site_checks.received_checks import check_findings, check_received, nothing_received
from condottiere_site.site_checks.received_email import ReceivedEmail
from condottiere_site.site_checks.site_facts import SiteFacts

_LOOKS_EVERY = 0.2  # seconds
_NO_DATABASE = "No email can be queued: the database doesn't answer or isn't upgraded."
_OVER = (
    OutgoingEmail.State.FAILED,
    OutgoingEmail.State.BOUNCED,
    OutgoingEmail.State.OVERTAKEN,
    OutgoingEmail.State.UNSUBSCRIBED,
)


@dataclass
class RoundTrip:
    """One email that was queued, and the row for what comes back."""

    to: str  # "" for the site's own address
    check: CheckEmail
    email: OutgoingEmail

    @classmethod
    def begin(cls, to: str = "") -> "RoundTrip":
        """Queue the email."""
        check, email = queue_check_email(to)
        return cls(to, check, email)

    def wait(self, until: float) -> None:
        """Wait for an answer or a failure until this moment of the monotonic clock, or Ctrl-C."""
        try:
            while not self._is_over() and time.monotonic() < until:
                time.sleep(_LOOKS_EVERY)
        except KeyboardInterrupt:
            self._is_over()

    def _is_over(self) -> bool:
        self.check.refresh_from_db()
        self.email.refresh_from_db()
        return self.check.came_back_at is not None or self.email.state in _OVER

    def end(self) -> None:
        """Delete the row, so that an email that is still queued isn't sent any more."""
        self.check.delete()

    @property
    def came_back(self) -> ReceivedEmail | None:
        """What came back, or None."""
        if self.check.came_back_at is None:
            return None
        return ReceivedEmail(bytes(self.check.source), self.check.return_path)

    @property
    def seconds(self) -> float:
        """How long it took from the queue to the answer."""
        back = self.check.came_back_at
        return 0.0 if back is None else max(0.0, (back - self.check.created_at).total_seconds())


@contextmanager
def round_trip(facts: SiteFacts, to: str = "") -> Iterator[RoundTrip | None]:
    """Send an email to this address, or to the site's own; None where that can't be tried."""
    if not facts.mail_server or not (to or facts.own_mailbox):
        yield None
        return
    try:
        trip = RoundTrip.begin(to)
    except DatabaseError:
        connection.close()
        yield None
        return
    try:
        yield trip
    finally:
        with suppress(DatabaseError):
            trip.end()


def wait_for_own(facts: SiteFacts, trip: RoundTrip | None, begun: float, wait: float) -> list[CheckResult]:
    """Wait for the email to the site's own address, and say what it shows."""
    if trip is None:
        if not facts.mail_server:
            return [skipped("out and back", "Emails are captured."), *nothing_received("None leaves.")]
        if facts.own_mailbox:
            return [skipped("out and back", _NO_DATABASE), *nothing_received(_NO_DATABASE)]
        advice = "Set REPLY_ADDRESS. Or use --email, and look at the source of the email that arrives."
        back = skipped("out and back", "No mail comes to the site.", advice)
        return [back, *nothing_received("No email can come back.")]
    trip.wait(begun + wait)
    return check_own_round_trip(facts, trip, time.monotonic() - begun)


def wait_for_person(facts: SiteFacts, trip: RoundTrip | None, begun: float, wait: float) -> list[CheckResult]:
    """Wait for what comes back from the given address, and say what it is."""
    if trip is None:
        captured = "Emails are captured, so none can be sent."
        return [skipped("email", _NO_DATABASE if facts.mail_server else captured)]
    trip.wait(begun + wait)
    return check_email_to_a_person(trip, time.monotonic() - begun)


def check_own_round_trip(facts: SiteFacts, trip: RoundTrip, waited: float) -> list[CheckResult]:
    """Say whether the email to the site's own address came back, and what it shows."""
    name = "out and back"
    received = trip.came_back
    if received is not None:
        came = passed(
            name, f"An email to {facts.own_mailbox} went out and came back in {trip.seconds:.1f} s."
        )
        path = return_path(trip.email.pk) if facts.return_path != facts.sender else ""
        return [came, *check_received(facts, received, path)]
    if trip.email.state != OutgoingEmail.State.SENT:
        return [_not_sent(name, trip, waited), *nothing_received("No email came back.")]
    advice = (
        f"Look whether it lies in the mailbox of MAILBOX_URL: mail to {_tagged(facts)} must arrive there."
        if facts.fetches_mail
        else f"Run receive_mail --lmtp, and let the mail server hand it mail to {_tagged(facts)}."
    )
    why = f"The mail server took an email to {facts.own_mailbox}. It didn't come back in {waited:.0f} s."
    return [failed(name, why, advice), *nothing_received("No email came back.")]


def check_email_to_a_person(trip: RoundTrip, waited: float) -> list[CheckResult]:
    """Say what became of the email to the given address: accepted, answered, or returned."""
    name = "email"
    received = trip.came_back
    if received is None and trip.email.state != OutgoingEmail.State.SENT:
        return [_not_sent(name, trip, waited)]
    if received is None:
        why = f"The mail server took an email to {trip.to}. Nothing came back in {waited:.0f} s."
        return [passed(name, f"{why} Look for it in that mailbox, also among spam.")]
    failure = _failure_in(received.message)
    if failure:
        return [failed(name, f"The email to {trip.to} came back: {failure}", _ADVICE_IF_RETURNED)]
    reply = "An automatic answer" if _is_automatic(received.message) else "A reply"
    results = [passed(name, f"{reply} to the email to {trip.to} came back after {trip.seconds:.0f} s.")]
    findings = received.findings_in_attachment()
    return [*results, check_findings(findings)] if findings else results


_ADVICE_IF_RETURNED = "Do what the receiving server says; the checks above may say why."


def _not_sent(name: str, trip: RoundTrip, waited: float) -> CheckResult:
    """Say why the email did not go out."""
    words = trip.email.last_error
    reasons = {
        OutgoingEmail.State.BOUNCED: (f"The email came back: {words}", _ADVICE_IF_RETURNED),
        OutgoingEmail.State.FAILED: (f"The email was refused: {words}", "Do what the server says."),
        OutgoingEmail.State.UNSUBSCRIBED: (
            f"The reader of {trip.to} turned off these emails.",
            "Use another address.",
        ),
    }
    state = OutgoingEmail.State(trip.email.state)
    if state in reasons:
        return failed(name, *reasons[state])
    if words:
        why = f"The mail server didn't take the email in {waited:.0f} s: {words}"
        return failed(name, why, "Check EMAIL_URL and what the mail server logs.")
    why = f"The email has waited {waited:.0f} s for a worker."
    return failed(name, why, "Start a worker and beat (docs/HOSTING.md), with the same settings.")


def _failure_in(message: Message) -> str:
    """Return the failure that a message reports, or ""."""
    try:
        with reading():
            failure = failure_reported(message)
    except Unreadable:
        return ""
    return "" if failure is None else failure.words


def _is_automatic(message: Message) -> bool:
    return str(message["Auto-Submitted"] or "no").lower() != "no"


def _tagged(facts: SiteFacts) -> str:
    name, _at, domain = facts.own_mailbox.partition("@")
    return f"{name}+anything@{domain}"
