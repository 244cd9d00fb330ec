"""The figures of one fault, and whether the promises held."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tests.faults.site import Site


@dataclass
class Counts:
    """The figures of one fault. `problems` and `late` have a sentence for each broken promise."""

    fault: str
    queued: int = 0
    accepted: int = 0
    distinct: int = 0
    lost: int = 0
    doubled: int = 0
    in_flight: int = 0  # the most at any one kill
    seconds: float = 0.0  # until all were out
    more: dict[str, object] = field(default_factory=dict)
    ratios: dict[str, float] = field(default_factory=dict)  # of medians in one run
    problems: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)

    def expect(self, holds: object, promise: str) -> None:
        if not holds:
            self.problems.append(promise)

    def expect_soon(self, holds: object, promise: str) -> None:
        """A promise of so many seconds, which `python -m tests.faults` judges on a quiet machine."""
        if not holds:
            self.late.append(promise)

    def row(self) -> str:
        emails = (
            f"{self.queued:>7}{self.accepted:>9}{self.distinct:>9}{self.lost:>5}{self.doubled:>8}"
            f"{self.in_flight:>10}{self.seconds:>9.1f}"
        )
        broken = (f"  BROKEN: {line}" for line in (*self.problems, *self.late))
        more = ", ".join(f"{name} {value}" for name, value in self.more.items())
        return "\n".join([f"{self.fault:<44}{emails}  {more}", *broken])


HEADING = (
    f"{'fault':<44}{'queued':>7}{'accepted':>9}{'distinct':>9}{'lost':>5}{'doubled':>8}{'in flight':>10}"
    f"{'seconds':>9}"
)


class Tally:
    """Counts the emails of one fault: those queued since its start, and those the server stored."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._first = site.ask("SELECT coalesce(max(id), 0) FROM mail_outgoingemail")[0][0]
        self._before = site.sink.ids()
        self._left_lying: set[tuple[str, int]] = set()  # by workers killed before, until their lease is over
        self.may_double: Counter[str] = Counter()

    def note_kill(self, counts: Counts) -> None:
        """Record, right after a kill, the emails that may be sent twice because of it."""
        under_way = self._site.under_way() - self._left_lying
        self._left_lying |= under_way
        counts.in_flight = max(counts.in_flight, len(under_way))
        self.may_double.update(number for number, _attempt in under_way)

    def count(self, counts: Counts) -> None:
        """Compare what was queued with what the mail server stored, by Message-ID."""
        rows = dict(
            self._site.ask("SELECT message_id, state FROM mail_outgoingemail WHERE id > %s", self._first)
        )
        stored = self._site.sink.ids() - self._before
        sent = {number for number, state in rows.items() if state == "sent"}
        fated = {number for number, state in rows.items() if state in ("overtaken", "failed", "unsubscribed")}
        counts.queued, counts.accepted = len(rows), sum(stored.values())
        counts.distinct = len(stored)
        counts.lost = len(rows.keys() - stored.keys() - fated)
        counts.doubled = sum(stored.values()) - len(stored)
        too_often = stored - Counter(stored.keys()) - self.may_double
        counts.expect(not counts.lost, f"{counts.lost} emails were lost")
        counts.expect(not too_often, f"{sum(too_often.values())} emails were doubled that were not in flight")
        counts.expect(stored.keys() <= rows.keys(), "an email went out under a Message-ID of no row")
        counts.expect(sent <= stored.keys(), "an email counts as sent that the server never stored")
