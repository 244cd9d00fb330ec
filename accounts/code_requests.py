"""Daily limits for code emails, for strangers and for known browsers.

Strangers are counted by network, and by network and address together. A limit by address alone would let
anyone lock a person out. Replies are the same for every address, so no one learns which have accounts.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.addresses import normal_address
from accounts.known_browsers import known_browser
from accounts.rate_limits import client_key, hit, is_exceeded

Allowance = tuple[str, str, int]  # an action, who does it, and how often they may

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


def _allowances(request: HttpRequest, address: str) -> list[Allowance]:
    browser = known_browser(request, address)
    if browser:
        return [("code email from known", browser, MOST_FROM_A_KNOWN_BROWSER)]
    client = client_key(request)
    pair = f"{client} {normal_address(address)}"
    return [
        ("code email from", client, MOST_FROM_A_CLIENT),
        ("code email from and to", pair, MOST_FROM_A_CLIENT_TO_AN_ADDRESS),
    ]
