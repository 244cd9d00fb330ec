"""Invitations to a season. No one is put into it: invited people sign up themselves."""

from __future__ import annotations

from collections.abc import Collection
from operator import attrgetter, itemgetter

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts import clock
from accounts.addresses import readable_address
from accounts.models import User
from accounts.rate_limits import hit
from games.leagues.models import AuditEvent, Invitation, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.invitation_emails import email_invitation
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_organiser
from games.leagues.services.player_list_rows import shown
from games.leagues.services.player_lists import MOST_ROWS, Listed, PlayerList, read_players
from games.leagues.services.registration import sign_up
from games.services import Refused
from games.services.table_invitations import INVITATIONS_TO_ONE_A_DAY

INVITATIONS_A_DAY = MOST_ROWS  # by one organiser, over all their seasons


_REASONS = {
    Invitation.State.SENT: gettext_lazy("%(email)s has already been invited."),
    Invitation.State.DECLINED: gettext_lazy(
        "%(email)s has declined. They can still sign up on the season’s page."
    ),
}


def read_list(season: Season, by: User, text: str) -> PlayerList:
    """Read a list of people to invite, without those in the season, invited already or declining.

    Raises BadRows with every line that is wrong, and Refused if no one may be invited.
    """
    _require_invitable(season, by)
    found = read_players(text, levels=season.most_divisions)
    reasons = _not_to_invite(season, found.players)
    told = [(one.line, reasons[one.email]) for one in found.players if one.email in reasons]
    found.left_out = sorted(found.left_out + told, key=itemgetter(0))
    found.players = [one for one in found.players if one.email not in reasons]
    return found


@transaction.atomic
def invite_players(season: Season, by: User, players: Collection[Listed]) -> int:
    """Invite these people to sign up, now or when sign-up opens; return how many.

    Either all are invited or no one is. Safe to repeat: those who need no invitation any more are skipped.
    Raises Refused over the daily limits, and if no one may be invited.
    """
    season = locked_season(season)
    _require_invitable(season, by)
    reasons = _not_to_invite(season, players)
    invited = [player for player in players if player.email not in reasons]
    for player in sorted(invited, key=attrgetter("email")):  # in a fixed order: limits are shared
        _send(season, by, player)
    if invited:
        record_event(AuditEvent.Kind.INVITED, season, by, facts={"players": len(invited)})
    return len(invited)


def _require_invitable(season: Season, by: User) -> None:
    require_organiser(season.league, by)
    if season.state not in Season.BEFORE_PLAY:
        raise Refused(_("The season has begun or was cancelled. You can no longer invite anyone."))


def _not_to_invite(season: Season, players: Collection[Listed]) -> dict[str, str]:
    """Return the addresses that cannot be invited or need no invitation, with the reason for each."""
    asked = {player.email for player in players}
    invited = season.invited.filter(email__in=asked, state__in=_REASONS).values_list("email", "state")
    reasons = {email: _REASONS[Invitation.State(state)] % _named(email) for email, state in invited}
    here = season.entries.exclude(state__in=(*Registration.OUT, Registration.State.EXPECTED))
    for email in here.filter(user__email__in=asked).values_list("user__email", flat=True):
        reasons[email] = _("%(email)s is already in this season.") % _named(email)
    return reasons


def _named(email: str) -> dict[str, str]:
    return {"email": shown(readable_address(email))}


def _send(season: Season, by: User, player: Listed) -> None:
    _require_within_limits(by, player.email)
    fields = {"name": player.name, "level": player.level, "state": Invitation.State.SENT}
    invited, _is_new = Invitation.objects.update_or_create(
        season=season, email=player.email, defaults=fields | {"by": by, "sent_at": clock.now()}
    )
    if season.state != Season.State.PLANNED:
        email_invitation(invited)


def _require_within_limits(by: User, email: str) -> None:
    """Limit the invitations per day that one organiser sends and that one address receives."""
    if not hit("invite to league", str(by.pk), INVITATIONS_A_DAY):
        text = ngettext(
            "You have sent %(most)d invitation today. Send the others tomorrow.",
            "You have sent %(most)d invitations today. Send the others tomorrow.",
            INVITATIONS_A_DAY,
        )
        raise Refused(text % {"most": INVITATIONS_A_DAY})
    if not hit("be invited", email, INVITATIONS_TO_ONE_A_DAY):
        raise Refused(
            _("%(email)s has received too many invitations today. Try again tomorrow.") % _named(email)
        )


@transaction.atomic
def accept_invitation(invited: Invitation, user: User) -> Registration:
    """Sign up by an invitation, with the level reserved in it.

    Raises Refused if the invitation was withdrawn, and as `sign_up` does.
    """
    entry = sign_up(invited.season, user)
    changed = (
        Invitation.objects.filter(pk=invited.pk)
        .exclude(state=Invitation.State.WITHDRAWN)
        .update(state=Invitation.State.ACCEPTED)
    )
    if not changed:
        raise Refused(_("This invitation was withdrawn."))
    if invited.level and entry.reserved is None and entry.division_id is None:
        entry.reserved = invited.level
        entry.save(update_fields=["reserved"])
    return entry


@transaction.atomic
def decline_invitation(invited: Invitation) -> None:
    """Decline an invitation; no one can invite this address to the season again. Safe to repeat."""
    locked_season(invited.season_id)
    sent = Invitation.objects.filter(pk=invited.pk, state=Invitation.State.SENT)
    sent.update(state=Invitation.State.DECLINED)


@transaction.atomic
def withdraw_invitation(invited: Invitation, by: User) -> None:
    """Withdraw an unanswered invitation. Raises Refused if it has been answered."""
    season = locked_season(invited.season_id)
    require_organiser(season.league, by)
    sent = Invitation.objects.filter(pk=invited.pk, state=Invitation.State.SENT)
    if not sent.update(state=Invitation.State.WITHDRAWN):
        raise Refused(_("That invitation has already been answered."))
