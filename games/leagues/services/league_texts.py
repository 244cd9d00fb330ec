"""Text that people write about a league: cleaned, or refused with the reason."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.characters import count
from accounts.grouped_numbers import grouped
from accounts.names import readable_name
from accounts.token_links import without_token_links
from games.chat.text_cleaning import cleaned, is_visible
from games.leagues.models.leagues import LONGEST_NAME
from games.services import Refused

LONGEST_ABOUT, LONGEST_REASON = 4000, 1000


def cleaned_name(text: str) -> str:
    """Return a league's name as one readable line. Raises Refused."""
    try:
        return readable_name(without_token_links(text), LONGEST_NAME)
    except ValidationError as error:
        raise Refused(" ".join(error.messages)) from error


def cleaned_about(text: str) -> str:
    """Return a cleaned description of a league, which may be empty. Raises Refused."""
    return _not_longer(cleaned(text), LONGEST_ABOUT)


def cleaned_reason(text: str) -> str:
    """Return an organiser's cleaned reason, which must have visible text. Raises Refused."""
    reason = cleaned(text)
    if not is_visible(reason):
        raise Refused(_("Enter a reason. The people it concerns will read it."))
    return _not_longer(reason, LONGEST_REASON)


def _not_longer(text: str, most: int) -> str:
    length = count(text)
    if length > most:
        message = ngettext(
            "This text has %(count)s character. Shorten it to %(most)d.",
            "This text has %(count)s characters. Shorten it to %(most)d.",
            length,
        )
        raise Refused(message % {"count": grouped(length), "most": most})
    return text
