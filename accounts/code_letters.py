"""How many letters a stranger may cause: sign-in codes and their like, by client, by address and by day.

What is said here is the same for every address, so that nobody learns which ones have an account.
"""

from django.http import HttpRequest
from django.utils.translation import gettext as _

from accounts.addresses import normal_address
from accounts.limits import client_key, is_spent, spend

MOST_TO_AN_ADDRESS = 20
MOST_FROM_A_CLIENT = 60

_TO = "code letter to"
_FROM = "code letter from"

# allauth's names of the letters anybody can ask for by typing an address; notices of changes are not limited.
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


def spend_code_letter(request: HttpRequest, address: str) -> bool:
    """Counts one letter to this address asked for by this client; False when either has had enough today."""
    return spend(_FROM, client_key(request), MOST_FROM_A_CLIENT) and spend(
        _TO, normal_address(address), MOST_TO_AN_ADDRESS
    )


def code_letters_are_spent(request: HttpRequest, address: str) -> bool:
    """Whether no further letter would be sent today; counts nothing."""
    return is_spent(_FROM, client_key(request), MOST_FROM_A_CLIENT) or is_spent(
        _TO, normal_address(address), MOST_TO_AN_ADDRESS
    )


def enough_letters() -> str:
    """What is said to whoever asks for one more."""
    return _("Enough letters with codes have been asked for today. Please use the last one, or try tomorrow.")
