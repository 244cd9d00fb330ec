"""What a check found: one sentence, and what to do about it. Nothing here asks or prints anything."""

from dataclasses import dataclass
from enum import StrEnum


class CheckOutcome(StrEnum):
    """How a check ended; a skipped one says why it doesn't apply."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class CheckResult:
    """The result of one check. `advice` says what to do, unless all is well."""

    name: str
    outcome: CheckOutcome
    sentence: str
    advice: str = ""


def passed(name: str, sentence: str) -> CheckResult:
    """Return the result of a check that found nothing wrong."""
    return CheckResult(name, CheckOutcome.OK, sentence)


def warning(name: str, sentence: str, advice: str) -> CheckResult:
    """Return the result of a check that found what may be wrong."""
    return CheckResult(name, CheckOutcome.WARNING, sentence, advice)


def failed(name: str, sentence: str, advice: str) -> CheckResult:
    """Return the result of a check that found what is wrong."""
    return CheckResult(name, CheckOutcome.FAILED, sentence, advice)


def skipped(name: str, why: str, advice: str = "") -> CheckResult:
    """Return the result of a check that doesn't apply, or can't be made."""
    return CheckResult(name, CheckOutcome.SKIPPED, why, advice)
