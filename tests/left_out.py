"""What a test run leaves out, because a program that it needs is missing here: said before and after it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests import servers
from tests.mail import dovecot


def missing_programs() -> list[str]:
    """Return a line for each program that is missing here: what is left out, and how to have it."""
    needed = {
        "Chromium is missing, so all tests in a browser are left out. On Debian: apt-get install chromium": (
            servers.chromium()
        ),
        "Dovecot is missing, so the tests that fetch replies from a mailbox are left out. "
        "On Debian: apt-get install dovecot-imapd dovecot-pop3d": dovecot.program(),
        "Redis is missing, so the tests of workers and beat are left out. "
        "On Debian: apt-get install redis-server": servers.redis_program(),
    }
    return [line for line, program in needed.items() if not program]


def counts(folder: Path) -> list[str]:
    """Return a line for each reason why tests were skipped, with their number, as the runs noted it here."""
    reasons = Counter(
        reason
        for path in folder.glob("*.skipped")
        for reason in path.read_text(encoding="utf-8").splitlines()
    )
    return [f"{number} left out: {reason}" for reason, number in sorted(reasons.items())]
