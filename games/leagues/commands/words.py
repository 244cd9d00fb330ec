"""What people write about a league, as it is stored: cleaned, or refused with the reason."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.names import readable_name
from accounts.token_links import without_token_links
from games.commands import Refused
from games.leagues.models.leagues import LONGEST_NAME
from games.press.text.cleaning import cleaned, is_visible

LONGEST_ABOUT, LONGEST_REASON = 4000, 1000


def cleaned_name(text: str) -> str:
    """A league's name: one line that can be read. Raises Refused."""
    try:
        return readable_name(without_token_links(text), LONGEST_NAME)
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from error


def cleaned_about(text: str) -> str:
    """What is written about a league; empty is well. Raises Refused."""
    return _not_longer(cleaned(text), LONGEST_ABOUT)


def cleaned_reason(text: str) -> str:
    """Why an organiser does something: there is always a reason that can be read. Raises Refused."""
    reason = cleaned(text)
    if not is_visible(reason):
        raise Refused(_("Please give a reason: whom it touches reads it."))
    return _not_longer(reason, LONGEST_REASON)


def _not_longer(text: str, most: int) -> str:
    if len(text) > most:
        told = _("This is %(count)d characters long; please cut it to %(most)d.")
        raise Refused(told % {"count": len(text), "most": most})
    return text
