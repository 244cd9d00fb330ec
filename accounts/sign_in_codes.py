"""Sign-in codes: issue, limit and check them.

Each address has one open code, which works in any browser that requested it.
"""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum, auto

from allauth.core.internal.cryptokit import compare_user_code
from django.conf import settings
from django.core import signing
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.addresses import normal_address
from accounts.models import SignInCode, User
from accounts.normal_forms import normalized
from accounts.rate_limits import client_key, hashed, hit, is_exceeded, wide_client_key

_Allowance = tuple[str, str, int]  # an action, who does it, and how often they may
COOKIE = "__Host-known_browser" if settings.SESSION_COOKIE_SECURE else "known_browser"
KNOWN_FOR = timedelta(days=400)  # the longest that browsers keep any cookie
_MOST_ACCOUNTS = 8  # per browser; a cookie must stay small
_BROWSER_SALT = "accounts.sign_in_codes"

# Marks in a user agent and the family they stand for; the first match counts. Nothing else of the user agent
# is shown to anyone, because the sender can put any text there.
_FAMILIES = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS = (
    ("iPhone", "iOS"),
    ("iPad", "iOS"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def names_of(user_agent: str) -> tuple[str, str]:
    """Return the browser and system family, such as ("Firefox", "Linux"); "" if unknown."""
    return _first_found(_FAMILIES, user_agent), _first_found(_SYSTEMS, user_agent)


def known_browser(request: HttpRequest, address: str) -> str:
    """Return a key for this browser and the address's account if it signed in there before, else ""."""
    browser, accounts = _read(request)
    if not accounts:
        return ""
    account = User.objects.filter(email=normal_address(address)).values_list("pk", flat=True).first()
    return f"{browser}:{account}" if account in accounts else ""


def remember_browser(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Set a cookie by which the browser can prove later that it signed in to this account."""
    browser, accounts = _read(request)
    kept = [pk for pk in accounts if pk != user.pk][1 - _MOST_ACCOUNTS :]
    response.set_cookie(
        COOKIE,
        signing.dumps([browser or secrets.token_urlsafe(12), [*kept, user.pk]], salt=_BROWSER_SALT),
        max_age=KNOWN_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[int]]:
    try:
        browser, accounts = signing.loads(
            request.COOKIES.get(COOKIE, ""), salt=_BROWSER_SALT, max_age=KNOWN_FOR
        )
    except signing.BadSignature:
        return "", []
    return browser, accounts


def _first_found(names: tuple[tuple[str, str], ...], user_agent: str) -> str:
    return next((name for mark, name in names if mark in user_agent), "")


# The sign-in code: one per address. With a code per browser, anyone could invalidate a person's newest email.


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


class Answer(Enum):
    """Result of checking a typed code."""

    ACCEPTED = auto()
    WRONG = auto()
    TOO_MANY_TRIES = auto()
    TOO_MANY_TRIES_THERE = auto()  # from this network


Networks = tuple[tuple[str, int], ...]  # keys, and how many wrong codes each may try


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
        row = _locked_row(address, new_code, now)
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


def use(address: str, typed: str, *, by_known_browser: bool, networks: Networks) -> Answer:
    """Check a typed code. A right code is deleted; wrong ones are counted unless the browser is known.

    What can be no code, such as half of one, is wrong but not counted.
    """
    typed = typed_code(typed)
    with transaction.atomic():
        row = SignInCode.objects.select_for_update().filter(address=_key(address)).first()
        if row is None or clock.now() - row.asked_at > LASTS:
            return Answer.WRONG
        counted = [] if by_known_browser else _wrong_tries_of(row, networks)
        if not by_known_browser and row.wrong_tries >= MOST_WRONG_TRIES:
            return Answer.TOO_MANY_TRIES
        if any(is_exceeded(*one) for one in counted):
            return Answer.TOO_MANY_TRIES_THERE
        if compare_user_code(actual=typed, expected=row.code):
            row.delete()
            return Answer.ACCEPTED
        if not by_known_browser and len(typed) == len(typed_code(row.code)) and _LETTERS.issuperset(typed):
            row.wrong_tries += 1
            row.save(update_fields=["wrong_tries"])
            for one in counted:
                hit(*one)
        return Answer.WRONG


def _wrong_tries_of(row: SignInCode, networks: Networks) -> list[_Allowance]:
    """Return what counts the wrong codes of these networks for this code; the next one starts from none."""
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
    return SignInCode.objects.filter(asked_at__lt=clock.now() - LASTS).delete()[0]


def _locked_row(address: str, new_code: str, now: datetime) -> SignInCode:
    first = SignInCode(address=_key(address), code=new_code, made_at=now, asked_at=now)
    SignInCode.objects.bulk_create([first], ignore_conflicts=True)  # a concurrent request may create it first
    return SignInCode.objects.select_for_update().get(address=_key(address))


def _key(address: str) -> str:
    return hashed("sign-in code", normal_address(address))


# Daily limits for code emails, for strangers and for known browsers.
#
# Strangers are counted by network, and by network and address together. A limit by address alone would let
# anyone lock a person out. Replies are the same for every address, so no one learns which have accounts.


MOST_FROM_A_CLIENT = 60
MOST_FROM_A_CLIENT_TO_AN_ADDRESS = 10
MOST_FROM_A_KNOWN_BROWSER = 20
# For emails that only the requesting browser can use. No one is locked out: sign-in codes still arrive.
MOST_TO_AN_ADDRESS = 20

# allauth's names of the emails anyone can request by typing an address; change notices are not limited.
ASKED_FOR = frozenset(
    {
        "login_code",
        "email_confirmation",
        "email_confirmation_signup",
        "password_reset_code",
        "unknown_account",
        "account_already_exists",
    }
)


def hit_requests(request: HttpRequest, address: str) -> bool:
    """Count one request for an email to this address; return False if that exceeds a limit."""
    return all(hit(*allowance) for allowance in _allowances(request, address))


def requests_exceeded(request: HttpRequest, address: str) -> bool:
    """Return whether one more request would be refused; counts nothing."""
    return any(is_exceeded(*allowance) for allowance in _allowances(request, address))


def hit_emails_to(address: str) -> bool:
    """Count one email other than a sign-in code; return False if the address is over today's limit."""
    return hit("code email to", normal_address(address), MOST_TO_AN_ADDRESS)


def too_many_requests() -> str:
    """Return the error text for too many requests."""
    now = datetime.now(UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    hours = -(-(midnight - now) // timedelta(hours=1))
    return ngettext(
        "Your network asked for too many codes today. Try again in %(hours)d hour.",
        "Your network asked for too many codes today. Try again in %(hours)d hours.",
        hours,
    ) % {"hours": hours}


def too_many_emails() -> str:
    """Return the error text for too many emails to an address."""
    return _("We sent too many emails to this address today. You can still sign in with a code.")


def _allowances(request: HttpRequest, address: str) -> list[_Allowance]:
    browser = known_browser(request, address)
    if browser:
        return [("code email from known", browser, MOST_FROM_A_KNOWN_BROWSER)]
    client = client_key(request)
    pair = f"{client} {normal_address(address)}"
    return [
        ("code email from", client, MOST_FROM_A_CLIENT),
        ("code email from and to", pair, MOST_FROM_A_CLIENT_TO_AN_ADDRESS),
    ]
