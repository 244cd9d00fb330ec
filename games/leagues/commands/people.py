"""Who may do something in a league, asked before anything is changed."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.blocking import is_blocked
from accounts.models import User
from games.commands import Refused
from games.leagues.commands.locking import is_organiser
from games.leagues.models import League, Season


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
