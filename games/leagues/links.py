"""The signed links in league emails: each opens one matter for one person.

A link is harmless once its matter is settled. Only that of an offered seat leads on to the seat, while its
substitute has it.
"""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from django.urls import reverse

from accounts import tokens
from accounts.addresses import absolute_url
from accounts.mail.models import OutgoingEmail
from games.leagues.models import Concern, Invitation, League, Organiser, Registration, SubstituteOffer
from games.links import BadLink

LINK_AGE = timedelta(days=120)

_LEAGUE = "league"


class Matter(StrEnum):
    """What a link allows; the values are the tokens' first letter."""

    ENTRY = "e"  # confirm a place in a season, or leave it
    ASK = "s"  # take a seat as a substitute, or decline
    INVITED = "i"  # sign up for a season, or decline
    CONCERN = "c"  # answer what a player told the organisers
    ORGANISER = "o"  # say that one still organises the league
    NEWS = "n"  # read what an email was about


class LinkContent(NamedTuple):
    """The content of a link: the matter, its row, and its owner.

    An owner without an account is named by the hash of the address; `user` is then 0. News links also
    name their league.
    """

    matter: Matter
    pk: int
    user: int = 0
    address: str = ""
    league: int = 0


def entry_url(entry: Registration) -> str:
    """Return a link to confirm this place or to leave."""
    return _url(Matter.ENTRY, entry.pk, entry.user_id)


def ask_url(ask: SubstituteOffer) -> str:
    """Return a link to take the offered seat or to decline."""
    return _url(Matter.ASK, ask.pk, ask.substitute.user_id)


def invited_url(invited: Invitation) -> str:
    """Return a link to sign up for the season with this address or to decline."""
    return _url(Matter.INVITED, invited.pk, tokens.fingerprint(invited.email))


def concern_url(concern: Concern, organiser: int) -> str:
    """Return a link by which this organiser answers what a player told them."""
    return _url(Matter.CONCERN, concern.pk, organiser)


def organiser_url(organiser: Organiser) -> str:
    """Return a link by which this organiser says that they are still here."""
    return _url(Matter.ORGANISER, organiser.pk, organiser.user_id)


def news_url(email: OutgoingEmail, league: League) -> str:
    """Return a link to what this email says, and on to a non-public page of the league."""
    assert email.to_user_id is not None  # invitations have links of their own
    return _url(Matter.NEWS, email.pk, email.to_user_id, league.pk)


def _url(matter: Matter, *content: int | str) -> str:
    token = tokens.sign(_LEAGUE, matter.value, *content, dated=True)
    return absolute_url(reverse("league_by_link", args=[token]))


def read_token(token: str) -> LinkContent:
    """Return the content of a link. Raises BadLink for expired tokens and any that this site did not make."""
    try:
        first, pk, whose, *more = tokens.read(_LEAGUE, token, LINK_AGE)
        matter = Matter(first)
        if matter == Matter.INVITED:
            return LinkContent(matter, tokens.decode(pk), address=whose)
        league = tokens.decode(more[0]) if more else 0
        return LinkContent(matter, tokens.decode(pk), tokens.decode(whose), league=league)
    except (tokens.BadToken, ValueError) as error:
        raise BadLink from error
