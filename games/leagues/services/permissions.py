"""Permission checks, made before anything is changed."""

from __future__ import annotations

from django.utils.translation import gettext as _

from accounts.blocking import is_blocked
from accounts.models import User
from accounts.row_locks import update_free
from games.leagues.models import League, LeagueTable, Organiser, Season
from games.leagues.services.locks import locked_table
from games.services import Refused


def is_organiser(league: League, user: User) -> bool:
    """Return whether this person organises the league."""
    return league.organisers.filter(user=user).exists()


def require_account(user: User) -> None:
    """Require an open account and lock it until the transaction ends, so that deleting it waits.

    Called before the season is locked, as deleting an account locks the person first.
    """
    here = User.objects.filter(pk=user.pk, is_active=True, deleted_at=None)
    if not here.select_for_update(no_key=True):
        raise Refused(_("This account is closed, so it can’t take part."))


def require_organiser(league: League, by: User | None) -> None:
    """Raise Refused for everyone but an organiser; None is an automatic action of the season."""
    if by is not None and not _is_active(league, by, Organiser.Role.ORGANISER):
        raise Refused(_("Only organisers of the league can do this."))


def require_staff(league: League, by: User) -> None:
    """Raise Refused for everyone but organisers and assistants."""
    if not _is_active(league, by, *Organiser.Role):
        raise Refused(_("Only organisers and assistants of the league can do this."))


def _is_active(league: League, by: User, *roles: Organiser.Role) -> bool:
    """Return whether this person has one of the roles.

    What an organiser does also answers whether they are still here. Their row is not waited for:
    another organiser who is removing them holds it, and the league as well.
    """
    found = Organiser.staff.filter(league=league, user=by, role__in=roles).first()
    if found is not None and found.asked_at is not None:
        note_presence(league, by)
    return found is not None


def note_presence(league: League, user: User) -> None:
    """Count what an organiser does as the answer that they are still here."""
    update_free(Organiser.objects.filter(league=league, user=user, asked_at__isnull=False), asked_at=None)


def require_welcome(league: League, user: User) -> None:
    """Raise Refused if an organiser has blocked the person. No one learns which organiser."""
    if is_blocked(user, by=list(league.organisers.values_list("user_id", flat=True))):
        raise Refused(_("You can’t take part in this league."))


def locked_by_organiser(table: LeagueTable, by: User) -> tuple[LeagueTable, Season]:
    """Lock the season, require an organiser, and return the current table and season."""
    table, season = locked_table(table)
    require_organiser(season.league, by)
    return table, season


def locked_by_staff(table: LeagueTable, by: User) -> tuple[LeagueTable, Season]:
    """Lock the season, require an organiser or an assistant, and return the current table and season."""
    table, season = locked_table(table)
    require_staff(season.league, by)
    return table, season
