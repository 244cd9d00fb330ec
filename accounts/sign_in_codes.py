"""The code that signs somebody in: one at a time for each address, whichever browsers ask for it.

A code of its own for each browser would let anybody make the code in a person's newest email useless there.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from allauth.core.internal.cryptokit import compare_user_code
from django.db import transaction

from accounts import present
from accounts.addresses import normal_address
from accounts.limits import hashed
from accounts.models import SignInCode

LASTS = timedelta(minutes=15)
SENT_AT_ONCE = 3  # emails with the same code that strangers can cause
MOST_WRONG_TRIES = 100  # by strangers; a code is one of 25 billion


class Answer(Enum):
    """What became of a code that was typed."""

    ACCEPTED = auto()
    WRONG = auto()
    TOO_MANY_TRIES = auto()


@dataclass(frozen=True)
class Issued:
    """The code of an address, whether one more email with it goes out, and whether it can still be used."""

    code: str
    is_sent: bool
    is_used_up: bool


def issue(address: str, new_code: str, *, by_known_browser: bool) -> Issued:
    """The code for someone who asks: the present one, for 15 minutes more, or `new_code` if that is old."""
    now = present.now()
    with transaction.atomic():
        row = _locked_row(address, new_code, now)
        if now - row.made_at > LASTS:
            row.code, row.made_at, row.times_sent, row.wrong_tries = new_code, now, 0, 0
        is_sent = by_known_browser or row.times_sent < SENT_AT_ONCE
        row.asked_at = now
        row.times_sent += is_sent and not by_known_browser
        row.save()
    return Issued(row.code, is_sent, not by_known_browser and row.wrong_tries >= MOST_WRONG_TRIES)


def use(address: str, typed: str, *, by_known_browser: bool) -> Answer:
    """Compares what was typed; a right code is used up by that, a stranger's wrong one is counted."""
    with transaction.atomic():
        row = SignInCode.objects.select_for_update().filter(address=_key(address)).first()
        if row is None or present.now() - row.asked_at > LASTS:
            return Answer.WRONG
        if not by_known_browser and row.wrong_tries >= MOST_WRONG_TRIES:
            return Answer.TOO_MANY_TRIES
        if compare_user_code(actual=typed, expected=row.code):
            row.delete()
            return Answer.ACCEPTED
        if not by_known_browser:
            row.wrong_tries += 1
            row.save(update_fields=["wrong_tries"])
        return Answer.WRONG


def minutes_until_another(address: str) -> int:
    """How many minutes from now this address gets another code, at least one."""
    made_at = SignInCode.objects.filter(address=_key(address)).values_list("made_at", flat=True).first()
    left = made_at + LASTS - present.now() if made_at else timedelta(0)
    return max(1, -(-left // timedelta(minutes=1)))


def forget(address: str) -> None:
    """Deletes the code of an address."""
    SignInCode.objects.filter(address=_key(address)).delete()


def forget_old() -> int:
    """Deletes codes that no longer work; returns how many."""
    return SignInCode.objects.filter(asked_at__lt=present.now() - LASTS).delete()[0]


def _locked_row(address: str, new_code: str, now: datetime) -> SignInCode:
    first = SignInCode(address=_key(address), code=new_code, made_at=now, asked_at=now)
    SignInCode.objects.bulk_create([first], ignore_conflicts=True)  # another may ask at the same moment
    return SignInCode.objects.select_for_update().get(address=_key(address))


def _key(address: str) -> str:
    return hashed("sign-in code", normal_address(address))
