"""Who may change a league, the rows locked for a change, and the text they may store."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.blocking import is_blocked
from accounts.models import User
from accounts.names import readable_name
from accounts.token_links import without_token_links
from games.chat.text import cleaned, is_visible
from games.leagues.models import League, Season
from games.leagues.models.leagues import LONGEST_NAME
from games.services import Refused


def locked_season(season: Season | int) -> Season:
    """The season as it is now, with its league, held until the transaction ends."""
    pk = season.pk if isinstance(season, Season) else season
    return Season.objects.select_for_update(of=("self",)).select_related("league").get(pk=pk)


def locked_league(league: League) -> League:
    """The league as it is now, held until the transaction ends: a season is added under it."""
    return League.objects.select_for_update().get(pk=league.pk)


def is_organiser(league: League, user: User) -> bool:
    """Whether this person runs the league."""
    return league.organisers.filter(user=user).exists()


# Who may do something in a league, asked before anything is changed.


def require_account(user: User) -> None:
    """Whether the person is still here, held until the transaction ends: deleting his account waits for it.

    Called before the season is locked, for deleting an account locks the person first.
    """
    here = User.objects.filter(pk=user.pk, is_active=True, deleted_at=None)
    if not here.select_for_update(no_key=True):
        raise Refused(_("This account is closed: it takes no part."))


def require_organiser(league: League, by: User | None) -> None:
    """Raises Refused for everybody but an organiser; None is the season by itself."""
    if by is not None and not is_organiser(league, by):
        raise Refused(_("Only an organiser of the league can do this."))


def require_welcome(league: League, user: User) -> None:
    """Raises Refused if an organiser has blocked the person. Which of them is told to nobody."""
    if is_blocked(user, by=list(league.organisers.values_list("user_id", flat=True))):
        raise Refused(_("You cannot take part in this league."))


def late_rule(season: Season) -> str:
    """What becomes of a table that is late: where an organiser would decide and none is left, most regions
    do."""
    if season.late == Season.Late.ORGANISER and not season.league.organisers.exists():
        return Season.Late.REGIONS
    return season.late


# What people write about a league, as it is stored: cleaned, or refused with the reason.


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
