"""The signed links in letters about leagues: each opens one matter for one person, and is harmless once that
is settled."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from django.core import signing
from django.urls import reverse

from accounts.addresses import absolute_url
from games.leagues.models import Ask, Entry, Invited
from games.links import BadLink

LINK_AGE = timedelta(days=120)

_SALT = "condottiere.league"


class Matter(StrEnum):
    """What a link lets its holder do."""

    ENTRY = "entry"  # confirm a place in a season, or leave it
    ASK = "ask"  # take a seat as a substitute, or decline
    INVITED = "invited"  # sign up for a season, or decline


class Named(NamedTuple):
    """The matter that a link names, by its row, and whose it is: a person's number, or an address."""

    matter: Matter
    pk: int
    whose: int | str


def entry_url(entry: Entry) -> str:
    """To confirm this place, or to leave."""
    return _url(Named(Matter.ENTRY, entry.pk, entry.user_id))


def ask_url(ask: Ask) -> str:
    """To take the seat that was asked about, or to decline."""
    return _url(Named(Matter.ASK, ask.pk, ask.substitute.user_id))


def invited_url(invited: Invited) -> str:
    """To sign up for the season by this address, or to decline."""
    return _url(Named(Matter.INVITED, invited.pk, invited.email))


def _url(named: Named) -> str:
    return absolute_url(reverse("league_by_link", args=[signing.dumps(list(named), salt=_SALT)]))


def read_token(token: str) -> Named:
    """What a link names. Raises BadLink for any token this site did not make, and for old ones."""
    try:
        matter, pk, whose = signing.loads(token, salt=_SALT, max_age=LINK_AGE)
        return Named(Matter(matter), pk, whose)
    except (signing.BadSignature, ValueError, TypeError) as error:
        raise BadLink from error
