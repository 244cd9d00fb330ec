"""How many emails with codes may be asked for in a day: by strangers, and by browsers known for an account.

Strangers are counted by network, and by network and address together: a count by address alone would let
anybody keep a person out. What is said here is the same for every address, so that nobody learns which ones
have an account.
"""

from datetime import UTC, datetime, timedelta

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.addresses import normal_address
from accounts.browsers import known_browser
from accounts.limits import client_key, is_spent, spend

MOST_FROM_A_CLIENT = 60
MOST_FROM_A_CLIENT_TO_AN_ADDRESS = 10
MOST_FROM_A_KNOWN_BROWSER = 20
# For emails that only the browser that asked can use. Nobody is kept out by it: a sign-in code still comes.
MOST_TO_AN_ADDRESS = 20

# allauth's names of the emails anybody can ask for by typing an address; notices of changes are not limited.
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
_Allowance = tuple[str, str, int]


def spend_request(request: HttpRequest, address: str) -> bool:
    """Counts one request for an email to this address; False when the browser or network has had enough."""
    return all(spend(*allowance) for allowance in _allowances(request, address))


def requests_are_spent(request: HttpRequest, address: str) -> bool:
    """Whether one more request would be refused; counts nothing."""
    return any(is_spent(*allowance) for allowance in _allowances(request, address))


def spend_email_to(address: str) -> bool:
    """Counts one email that is no sign-in code; False when the address has had enough of them today."""
    return spend("code letter to", normal_address(address), MOST_TO_AN_ADDRESS)


def too_many_requests() -> str:
    """The answer to one request too many."""
    now = datetime.now(UTC)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    hours = -(-(midnight - now) // timedelta(hours=1))
    return ngettext(
        "Too many codes were requested from your network today. Try again in %(hours)d hour.",
        "Too many codes were requested from your network today. Try again in %(hours)d hours.",
        hours,
    ) % {"hours": hours}


def too_many_emails() -> str:
    """The answer to one email too many to an address."""
    return _("We sent too many emails to this address today. You can still sign in with a code.")


def _allowances(request: HttpRequest, address: str) -> list[_Allowance]:
    browser = known_browser(request, address)
    if browser:
        return [("code letter from known", browser, MOST_FROM_A_KNOWN_BROWSER)]
    client = client_key(request)
    pair = f"{client} {normal_address(address)}"
    return [
        ("code letter from", client, MOST_FROM_A_CLIENT),
        ("code letter from and to", pair, MOST_FROM_A_CLIENT_TO_AN_ADDRESS),
    ]
