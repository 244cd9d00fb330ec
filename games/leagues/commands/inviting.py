"""Inviting people to a season by their addresses, one by one or from a list. Nobody is put into a season:
whoever reads mail at an address signs up himself, or does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import present
from accounts.addresses import normal_address
from accounts.limits import spend
from accounts.models import User
from games.commands import Refused
from games.commands.gather import INVITATIONS_TO_ONE_A_DAY
from games.leagues.commands.deeds import write_down
from games.leagues.commands.locking import locked_season
from games.leagues.commands.opening import write_to
from games.leagues.commands.people import require_organiser
from games.leagues.commands.player_lists import MOST_ROWS, BadRows, Listed, is_address, read_players, shown
from games.leagues.commands.signing_up import sign_up
from games.leagues.models import Deed, Entry, Invited, Season

INVITATIONS_A_DAY = MOST_ROWS  # by one organiser, to all his seasons
_OPEN_FOR_IT = (Season.State.PLANNED, Season.State.SIGN_UP, Season.State.CONFIRMING)

__all__ = [
    "BadRows",
    "accept_invitation",
    "decline_invitation",
    "import_players",
    "invite",
    "read_players",
    "withdraw_invitation",
]


@transaction.atomic
def invite(season: Season, by: User, email: str, level: int | None = None, name: str = "") -> Invited:
    """Ask this address to sign up, at once or when the sign-up opens. Inviting again changes the level only,
    but for who was invited before and whose invitation was withdrawn.

    Raises Refused for what is no address, who is in the season or has declined, and when it is enough for
    today.
    """
    season = _locked(season, by)
    email = normal_address(email)
    if not is_address(email):
        raise Refused(_("Not an e-mail address: %(wrong)s") % {"wrong": shown(email) or "–"})
    if level is not None and not 1 <= level <= season.most_divisions:
        raise Refused(_("There is no division %(level)s.") % {"level": level})
    for told in _in_the_way(season, [email]).values():
        raise Refused(told)
    known = season.invited.filter(email=email, state=Invited.State.SENT).first()
    if known is not None:
        known.level, known.name = level, name or known.name
        known.save(update_fields=["level", "name"])
        return known
    write_down(Deed.Kind.INVITED, season, by)
    return _send(season, by, email, level, name)


def _locked(season: Season, by: User) -> Season:
    season = locked_season(season)
    require_organiser(season.league, by)
    if season.state not in _OPEN_FOR_IT:
        raise Refused(_("Nobody can be invited to this season any more."))
    return season


def _in_the_way(season: Season, emails: Iterable[str]) -> dict[str, str]:
    """Whom of these one cannot invite, and why."""
    asked = set(emails)
    here = season.entries.exclude(state__in=(*Entry.OUT, Entry.State.EXPECTED))
    entered = _("%(email)s is in this season already.")
    refused = _("%(email)s has declined; who changes his mind can still sign up.")
    told = {email: entered for email in here.values_list("user__email", flat=True) if email in asked}
    declined = season.invited.filter(state=Invited.State.DECLINED).values_list("email", flat=True)
    told |= {email: refused for email in declined if email in asked and email not in told}
    return {email: sentence % {"email": shown(email)} for email, sentence in told.items()}


def _send(season: Season, by: User, email: str, level: int | None, name: str = "") -> Invited:
    _count(by, email)
    told = {"name": name, "level": level, "by": by, "state": Invited.State.SENT, "sent_at": present.now()}
    invited, _is_new = Invited.objects.update_or_create(season=season, email=email, defaults=told)
    if season.state != Season.State.PLANNED:
        write_to(invited)
    return invited


def _count(by: User, email: str) -> None:
    """Nobody writes to many people, and nobody is written to by many, in one day."""
    if not spend("invite to league", str(by.pk), INVITATIONS_A_DAY):
        told = _("You have sent %(most)d invitations today; go on tomorrow.")
        raise Refused(told % {"most": INVITATIONS_A_DAY})
    if not spend("be invited", email, INVITATIONS_TO_ONE_A_DAY):
        raise Refused(_("%(email)s has got enough invitations for today.") % {"email": shown(email)})


@transaction.atomic
def import_players(season: Season, by: User, data: bytes | str) -> int:
    """Invite everybody of a CSV list (player_lists.py) whom nobody has invited yet; returns how many.

    All of them, or nobody: raises BadRows with every line that is wrong, and Refused as `invite` does.
    """
    season = _locked(season, by)
    players = read_players(data, levels=season.most_divisions)
    if errors := list(_not_to_invite(season, players)):
        raise BadRows(errors)
    for player in sorted(players, key=lambda player: player.email):  # in one order: shared limits are counted
        _send(season, by, player.email, player.level)
    write_down(Deed.Kind.IMPORTED, season, by, facts={"players": len(players)})
    return len(players)


def _not_to_invite(season: Season, players: Iterable[Listed]) -> Iterator[tuple[int, str]]:
    players = list(players)
    in_the_way = _in_the_way(season, [player.email for player in players])
    sent = set(season.invited.filter(state=Invited.State.SENT).values_list("email", flat=True))
    for player in players:
        if player.email in in_the_way:
            yield player.line, in_the_way[player.email]
        elif player.email in sent:
            yield player.line, _("%(email)s has been invited already.") % {"email": shown(player.email)}


@transaction.atomic
def accept_invitation(invited: Invited, user: User) -> Entry:
    """Sign up by an invitation, with the level that was kept. Raises Refused if it was withdrawn, and as
    `sign_up` does."""
    entry = sign_up(invited.season, user)
    changed = (
        Invited.objects.filter(pk=invited.pk)
        .exclude(state=Invited.State.WITHDRAWN)
        .update(state=Invited.State.ACCEPTED)
    )
    if not changed:
        raise Refused(_("This invitation was withdrawn."))
    if invited.level and entry.reserved is None and entry.division_id is None:
        entry.reserved = invited.level
        entry.save(update_fields=["reserved"])
    return entry


@transaction.atomic
def decline_invitation(invited: Invited) -> None:
    """Say no; nobody invites this address to the season again. Saying it twice is saying it once."""
    locked_season(invited.season_id)
    sent = Invited.objects.filter(pk=invited.pk, state=Invited.State.SENT)
    sent.update(state=Invited.State.DECLINED)


@transaction.atomic
def withdraw_invitation(invited: Invited, by: User) -> None:
    """Take an unanswered invitation back. Raises Refused where it was answered."""
    season = locked_season(invited.season_id)
    require_organiser(season.league, by)
    sent = Invited.objects.filter(pk=invited.pk, state=Invited.State.SENT)
    if not sent.update(state=Invited.State.WITHDRAWN):
        raise Refused(_("That invitation has been answered already."))
