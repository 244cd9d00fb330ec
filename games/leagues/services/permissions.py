"""Permission checks, row locks for changes, and validation of the text that people write."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.blocking import is_blocked
from accounts.characters import count
from accounts.models import User
from accounts.names import readable_name
from accounts.token_links import without_token_links
from games.chat.text import cleaned, is_visible
from games.leagues.models import League, LeagueTable, Season
from games.leagues.models.leagues import LONGEST_NAME
from games.services import Refused


def locked_season(season: Season | int) -> Season:
    """Lock the season until the transaction ends; return it with its league."""
    pk = season.pk if isinstance(season, Season) else season
    return Season.objects.select_for_update(of=("self",)).select_related("league").get(pk=pk)


def locked_table(row: LeagueTable) -> tuple[LeagueTable, Season]:
    """Lock the season; return the table as it is now, and the season."""
    season = locked_season(Season.objects.values_list("pk", flat=True).get(divisions__rounds__tables=row.pk))
    return LeagueTable.objects.select_related("table", "round__division__season").get(pk=row.pk), season


def locked_league(league: League) -> League:
    """Lock the league until the transaction ends; seasons are added under this lock."""
    return League.objects.select_for_update().get(pk=league.pk)


def is_organiser(league: League, user: User) -> bool:
    """Return whether this person organises the league."""
    return league.organisers.filter(user=user).exists()


# Permission checks, made before anything is changed


def require_account(user: User) -> None:
    """Require an open account and lock it until the transaction ends, so that deleting it waits.

    Called before the season is locked, as deleting an account locks the person first.
    """
    here = User.objects.filter(pk=user.pk, is_active=True, deleted_at=None)
    if not here.select_for_update(no_key=True):
        raise Refused(_("This account is closed, so it cannot take part."))


def require_organiser(league: League, by: User | None) -> None:
    """Raise Refused for everyone but an organiser; None is an automatic action of the season."""
    if by is not None and not is_organiser(league, by):
        raise Refused(_("Only organisers of the league can do this."))


def require_welcome(league: League, user: User) -> None:
    """Raise Refused if an organiser has blocked the person. No one learns which organiser."""
    if is_blocked(user, by=list(league.organisers.values_list("user_id", flat=True))):
        raise Refused(_("You cannot take part in this league."))


# Text that people write about a league: cleaned, or refused with the reason


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
        raise Refused(_("Give a reason. The people it concerns will read it."))
    return _not_longer(reason, LONGEST_REASON)


def _not_longer(text: str, most: int) -> str:
    length = count(text)
    if length > most:
        message = ngettext(
            "This text has %(count)d character. Shorten it to %(most)d.",
            "This text has %(count)d characters. Shorten it to %(most)d.",
            length,
        )
        raise Refused(message % {"count": length, "most": most})
    return text
