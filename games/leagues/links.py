"""The signed links in league emails: each opens one matter for one person.

A link is harmless once its matter is settled.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from django.core import signing
from django.urls import reverse

from accounts.addresses import absolute_url
from accounts.mail.models import OutgoingEmail
from games.leagues.models import Invitation, League, Registration, SubstituteOffer
from games.links import BadLink

LINK_AGE = timedelta(days=120)

_SALT = "condottiere.league"


class Matter(StrEnum):
    """What a link allows."""

    ENTRY = "entry"  # confirm a place in a season, or leave it
    ASK = "ask"  # take a seat as a substitute, or decline
    INVITED = "invited"  # sign up for a season, or decline
    NEWS = "news"  # read what an email was about


class Named(NamedTuple):
    """The content of a link: the matter, its row, and its owner (a user ID or an email address).

    News links also contain their league and the path of the page they lead to.
    """

    matter: Matter
    pk: int
    whose: int | str
    league: int = 0
    path: str = ""


def entry_url(entry: Registration) -> str:
    """Return a link to confirm this place or to leave."""
    return _url(Named(Matter.ENTRY, entry.pk, entry.user_id))


def ask_url(ask: SubstituteOffer) -> str:
    """Return a link to take the offered seat or to decline."""
    return _url(Named(Matter.ASK, ask.pk, ask.substitute.user_id))


def invited_url(invited: Invitation) -> str:
    """Return a link to sign up for the season with this address or to decline."""
    return _url(Named(Matter.INVITED, invited.pk, invited.email))


def news_url(email: OutgoingEmail, league: League, path: str) -> str:
    """Return a link to what this email says, and on to a non-public page of the league."""
    assert email.to_user_id is not None  # invitations have links of their own
    return _url(Named(Matter.NEWS, email.pk, email.to_user_id, league.pk, path))


def _url(named: Named) -> str:
    token = signing.dumps([one for one in named if one], salt=_SALT)
    return absolute_url(reverse("league_by_link", args=[token]))


def read_token(token: str) -> Named:
    """Return the content of a link. Raises BadLink for expired tokens and any that this site did not make."""
    try:
        matter, pk, whose, *more = signing.loads(token, salt=_SALT, max_age=LINK_AGE)
        return Named(Matter(matter), pk, whose, *more)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise BadLink from error
