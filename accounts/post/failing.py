"""Addresses to which letters fail for good: marked, told to their owner and his hosts, tried anew in time.

A mark is about an address, not a person: who changes his address is reached again.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import QuerySet

from accounts import present
from accounts.addresses import normal_address
from accounts.post.models import FailingAddress, Letter

TRIED_ANEW_AFTER = timedelta(days=7)
ALWAYS_TRIED = frozenset({"account"})  # letters by which somebody signs in and changes his address
_LONGEST_REASON = 500


def marks_on(addresses: Iterable[str]) -> dict[str, FailingAddress]:
    """The marks on those of these addresses that are marked now, by their one stored form."""
    rows = _marked(present.now()).filter(address__in={normal_address(address) for address in addresses})
    return {row.address: row for row in rows}


def fails(addresses: Iterable[str]) -> frozenset[str]:
    """Those of these addresses that are marked now, in their one stored form."""
    return frozenset(marks_on(addresses))


def mark_of(address: str) -> FailingAddress | None:
    """The mark on this address, or None if letters go there."""
    return marks_on([address]).get(normal_address(address))


def is_withheld(letter: Letter) -> bool:
    """Whether this letter is not even tried: its address fails, and nobody signs in by it."""
    return letter.kind not in ALWAYS_TRIED and bool(fails([letter.to_address]))


def mark(letter: Letter, reason: str, now: datetime) -> None:
    """Marks the address this letter went to; marked again, its seven days begin again."""
    if letter.forgets_address or not letter.to_address:
        return
    found = {"reason": reason[:_LONGEST_REASON], "since": now, "letter": letter}
    FailingAddress.objects.update_or_create(address=normal_address(letter.to_address), defaults=found)


def keeps_failing(letter: Letter) -> bool:
    """Whether the two letters before this one to the same address did not arrive either."""
    tried = (Letter.State.SENT, Letter.State.FAILED, Letter.State.BOUNCED)
    before = Letter.objects.filter(to_address=letter.to_address, state__in=tried, pk__lt=letter.pk)
    states = list(before.order_by("-pk").values_list("state", flat=True)[:2])
    return len(states) == 2 and Letter.State.SENT not in states


def lift(*addresses: str) -> bool:
    """Letters go to these addresses again; True if one of them was marked."""
    wanted = {normal_address(address) for address in addresses}
    return bool(FailingAddress.objects.filter(address__in=wanted).delete()[0])


def _marked(now: datetime) -> "QuerySet[FailingAddress]":
    return FailingAddress.objects.filter(since__gt=now - TRIED_ANEW_AFTER)
