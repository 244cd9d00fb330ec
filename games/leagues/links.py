"""The signed links in emails about leagues: each opens one matter for one person, and is harmless once that
is settled."""

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
    """What a link lets its holder do."""

    ENTRY = "entry"  # confirm a place in a season, or leave it
    ASK = "ask"  # take a seat as a substitute, or decline
    INVITED = "invited"  # sign up for a season, or decline
    NEWS = "news"  # read what an email was about


class Named(NamedTuple):
    """The matter that a link names, by its row, and whose it is: a person's number, or an address.

    News also name their league and the page of it that they lead to.
    """

    matter: Matter
    pk: int
    whose: int | str
    league: int = 0
    path: str = ""


def entry_url(entry: Registration) -> str:
    """To confirm this place, or to leave."""
    return _url(Named(Matter.ENTRY, entry.pk, entry.user_id))


def ask_url(ask: SubstituteOffer) -> str:
    """To take the seat that was asked about, or to decline."""
    return _url(Named(Matter.ASK, ask.pk, ask.substitute.user_id))


def invited_url(invited: Invitation) -> str:
    """To sign up for the season by this address, or to decline."""
    return _url(Named(Matter.INVITED, invited.pk, invited.email))


def news_url(email: OutgoingEmail, league: League, path: str) -> str:
    """To what this email says, and on to a page of the league that is not for everyone."""
    assert email.to_user_id is not None  # invitations have links of their own
    return _url(Named(Matter.NEWS, email.pk, email.to_user_id, league.pk, path))


def _url(named: Named) -> str:
    token = signing.dumps([one for one in named if one], salt=_SALT)
    return absolute_url(reverse("league_by_link", args=[token]))


def read_token(token: str) -> Named:
    """What a link names. Raises BadLink for any token this site did not make, and for old ones."""
    try:
        matter, pk, whose, *more = signing.loads(token, salt=_SALT, max_age=LINK_AGE)
        return Named(Matter(matter), pk, whose, *more)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise BadLink from error
