"""Sign-in codes: issue and check them.

Each address has one open code, which works in any browser that requested it. With a code per browser, anyone
could invalidate a person's newest email.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto

from allauth.core.internal.cryptokit import compare_user_code
from django.db import transaction
from django.http import HttpRequest

from accounts import clock
from accounts.addresses import normal_address
from accounts.models import SignInCode
from accounts.normal_forms import normalized
from accounts.rate_limits import client_key, hashed, hit, is_exceeded, wide_client_key
from accounts.row_locks import delete_free

LASTS = timedelta(minutes=15)
SENT_AT_ONCE = 3  # emails with the same code that strangers can cause

# How many wrong codes may be tried against one code of an address. A browser has three tries each time it
# asks for a code. Then its network is stopped, which shuts out no one elsewhere. All networks together may
# try so many that no stranger gets there in 15 minutes: it would take 8,000 networks and 150 requests a
# second. Of 20 ** 8 codes, that many tries hit the right one with a chance of 1 in 256,000.
MOST_WRONG_FROM_A_NETWORK = 12
MOST_WRONG_FROM_A_WIDE_NETWORK = 120
MOST_WRONG_TRIES = 100_000
_LETTERS = frozenset("BCDFGHJKLMNPQRSTVWXZ")  # of allauth's codes
_LONGEST_TYPED = 200

Networks = tuple[tuple[str, int], ...]  # keys, and how many wrong codes each may try


class CodeCheck(Enum):
    """Result of checking a typed code."""

    ACCEPTED = auto()
    WRONG = auto()
    TOO_MANY_TRIES = auto()
    TOO_MANY_TRIES_THERE = auto()  # from this network


@dataclass(frozen=True)
class Issued:
    """The code of an address, whether to send it by email now, and whether too many wrong tries block it."""

    code: str
    is_sent: bool
    is_used_up: bool


def issue(address: str, new_code: str, *, by_known_browser: bool) -> Issued:
    """Return the present code with 15 more minutes, or store `new_code` if the present one is old."""
    now = clock.now()
    with transaction.atomic():
        row = _lock_row(address, new_code, now)
        if now - row.made_at > LASTS:
            row.code, row.made_at, row.times_sent, row.wrong_tries = new_code, now, 0, 0
        is_sent = by_known_browser or row.times_sent < SENT_AT_ONCE
        row.asked_at = now
        row.times_sent += is_sent and not by_known_browser
        row.save()
    return Issued(row.code, is_sent, not by_known_browser and row.wrong_tries >= MOST_WRONG_TRIES)


def networks_of(request: HttpRequest) -> Networks:
    """Return the networks whose wrong codes count together with this request's."""
    wide = wide_client_key(request)
    network = (client_key(request), MOST_WRONG_FROM_A_NETWORK)
    return (network, (wide, MOST_WRONG_FROM_A_WIDE_NETWORK)) if wide else (network,)


def typed_code(text: str) -> str:
    """Return the letters and digits of a code, however a keyboard or a mail program wrote them."""
    plain = normalized("NFKC", text[:_LONGEST_TYPED])
    letters = (str(unicodedata.decimal(one, one)) for one in plain)
    return "".join(one for one in letters if one.isascii() and one.isalnum()).upper()


def use(address: str, typed: str, *, by_known_browser: bool, networks: Networks) -> CodeCheck:
    """Check a typed code. A right code is deleted; wrong ones are counted unless the browser is known.

    What can be no code, such as half of one, is wrong but not counted.
    """
    typed = typed_code(typed)
    with transaction.atomic():
        row = SignInCode.objects.select_for_update().filter(address=_key(address)).first()
        if row is None or clock.now() - row.asked_at > LASTS:
            return CodeCheck.WRONG
        counted = [] if by_known_browser else _wrong_tries_of(row, networks)
        if not by_known_browser and row.wrong_tries >= MOST_WRONG_TRIES:
            return CodeCheck.TOO_MANY_TRIES
        if any(is_exceeded(*one) for one in counted):
            return CodeCheck.TOO_MANY_TRIES_THERE
        if compare_user_code(actual=typed, expected=row.code):
            row.delete()
            return CodeCheck.ACCEPTED
        if not by_known_browser and len(typed) == len(typed_code(row.code)) and _LETTERS.issuperset(typed):
            row.wrong_tries += 1
            row.save(update_fields=["wrong_tries"])
            for one in counted:
                hit(*one)
        return CodeCheck.WRONG


def _wrong_tries_of(row: SignInCode, networks: Networks) -> list[tuple[str, str, int]]:
    """Return the rate limits of these networks' wrong codes for this code; the next one starts from none."""
    code = f"{row.pk} {row.made_at.timestamp()}"
    return [("wrong code", f"{key} {code}", most) for key, most in networks]


def minutes_until_another(address: str) -> int:
    """Return the number of minutes until this address can get a new code, at least one."""
    made_at = SignInCode.objects.filter(address=_key(address)).values_list("made_at", flat=True).first()
    left = made_at + LASTS - clock.now() if made_at else timedelta(0)
    return max(1, -(-left // timedelta(minutes=1)))


def delete_codes_of(address: str) -> None:
    """Delete the code of an address."""
    SignInCode.objects.filter(address=_key(address)).delete()


def delete_old_codes() -> int:
    """Delete expired codes; return how many."""
    return delete_free(SignInCode.objects.filter(asked_at__lt=clock.now() - LASTS))[0]


def _lock_row(address: str, new_code: str, now: datetime) -> SignInCode:
    first = SignInCode(address=_key(address), code=new_code, made_at=now, asked_at=now)
    SignInCode.objects.bulk_create([first], ignore_conflicts=True)  # a concurrent request may create it first
    return SignInCode.objects.select_for_update().get(address=_key(address))


def _key(address: str) -> str:
    return hashed("sign-in code", normal_address(address))
