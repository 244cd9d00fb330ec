"""Registration: sign up, wait, confirm and leave before the start."""

from __future__ import annotations

from datetime import datetime

from django.db import models, transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.characters import cut
from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import Invitation, Registration, Season
from games.leagues.models.seasons import LONGEST_ANSWER
from games.leagues.services.admission import require_admission
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_account, require_welcome
from games.leagues.services.schedule import reschedule
from games.services import Refused

MAY_COME_BACK = (Registration.State.LEFT, Registration.State.NO_SHOW, Registration.State.DECLINED)


@transaction.atomic
def sign_up(season: Season, user: User, answer: str = "") -> Registration:
    """Register for a place in the season, or on its waiting list. Safe to repeat.

    If the season is joined by request, an organiser decides first.
    Someone who had left joins the end of the queue.
    While players confirm, getting a free place counts as confirming.
    Raises Refused if the season is not open, the account is closed, an organiser has blocked the person, or
    they may not join. Also for bots where the season takes none.
    """
    require_account(user)
    season = locked_season(season)
    require_open(season)
    entry = season.entries.filter(user=user).first() or Registration(season=season, user=user)
    if entry.pk and not entry.is_out and entry.state != Registration.State.EXPECTED:
        return entry
    require_welcome(season.league, user)
    if user.is_bot and not season.terms.get("takes_bots"):
        raise Refused(_("Players’ own bots can’t sign up for this season."))
    is_direct = require_admission(entry, answer)
    if entry.pk and entry.is_out:
        _come_back(entry)
    entry.answer = cut(answer.strip(), LONGEST_ANSWER) if season.asks else ""
    if is_direct:
        take_place(season, entry, clock.now())
    else:
        entry.state, entry.registered_at = Registration.State.REQUESTED, clock.now()
    _answer_invitations(season, entry)
    entry.save()
    reschedule(season)
    return entry


def require_open(season: Season) -> None:
    """Raise Refused, with the reason, if no one can sign up, not even to wait."""
    if season.state == Season.State.PLANNED:
        raise Refused(_("Sign-up has not opened yet."))
    if season.state == Season.State.CANCELLED:
        raise Refused(_("This season was cancelled."))
    if season.state == Season.State.CLOSED:
        raise Refused(_("This season has finished."))


def _come_back(entry: Registration) -> None:
    if entry.state not in MAY_COME_BACK:
        raise Refused(_("You have withdrawn or were expelled, so you can’t sign up for this season again."))
    entry.reserved, entry.seeding, entry.out_at, entry.reason = None, 0, None, ""
    entry.confirmed_at = None


def take_place(season: Season, entry: Registration, now: datetime) -> None:
    """Give the person a place, or put them on the waiting list. The caller holds the season's lock."""
    was_kept = entry.state == Registration.State.EXPECTED
    entry.registered_at = now
    if season.state == Season.State.CONFIRMING:
        entry.confirmed_at = now
    if season.state == Season.State.RUNNING or not (was_kept or free_places(season)):
        entry.state = Registration.State.WAITING
    elif season.state == Season.State.CONFIRMING:
        entry.state = Registration.State.CONFIRMED
    else:
        entry.state = Registration.State.SIGNED_UP


def free_places(season: Season) -> int:
    """Return how many places are not taken, reserved or wanted by someone waiting."""
    taken = season.entries.filter(state__in=(*Registration.WITH_PLACE, Registration.State.WAITING)).count()
    return max(season.max_players - taken, 0)


def _answer_invitations(season: Season, entry: Registration) -> None:
    """Mark the person's invitation as accepted; its level becomes theirs unless they have earned one."""
    invited = season.invited.filter(email=entry.user.email, state=Invitation.State.SENT).first()
    if invited is not None:
        invited.state = Invitation.State.ACCEPTED
        invited.save(update_fields=["state"])
        entry.reserved = entry.reserved or invited.level


@transaction.atomic
def leave_season(season: Season, user: User) -> Registration:
    """Leave before the start, or leave the waiting list at any time; the first in the queue moves up.

    Safe to repeat. Raises Refused for someone who already plays: they have to withdraw.
    """
    season = locked_season(season)
    entry = season.entries.filter(user=user).first()
    if entry is None:
        raise Refused(_("You are not in this season."))
    if entry.is_out:
        return entry
    if season.state == Season.State.CANCELLED:
        raise Refused(_("This season was cancelled."))
    if season.state == Season.State.CLOSED:
        raise Refused(_("This season has finished."))
    if entry.state == Registration.State.PLAYING:
        raise Refused(_("The season has begun, so you can’t leave it. Withdraw from it instead."))
    take_out(entry, Registration.State.LEFT, clock.now())
    move_up(season, clock.now())
    reschedule(season)
    return entry


def take_out(entry: Registration, state: Registration.State, now: datetime) -> None:
    """Take a registration out of a season that has not begun. The caller holds the season's lock."""
    entry.state, entry.out_at = state, now
    entry.save(update_fields=["state", "out_at"])


def move_up(season: Season, now: datetime) -> list[Registration]:
    """Give free places to waiting players in order, and email them.

    The caller holds the season's lock. No one moves up this way while the season runs.
    """
    if season.state not in Season.BEFORE_PLAY:
        return []
    free = season.max_players - season.entries.filter(state__in=Registration.WITH_PLACE).count()
    moving = list(_waiting(season)[: max(free, 0)])
    for entry in moving:
        _give_place(entry, now)
    return moving


def _waiting(season: Season) -> models.QuerySet[Registration]:
    return season.entries.filter(state=Registration.State.WAITING).select_related("user")


def _give_place(entry: Registration, now: datetime) -> None:
    has_confirmed = entry.confirmed_at is not None
    entry.state = Registration.State.CONFIRMED if has_confirmed else Registration.State.SIGNED_UP
    entry.save(update_fields=["state"])
    key = f"league_place:{entry.pk}:{now.isoformat()}"
    queue("league_place", to=entry.user, key=key, context={"entry": entry.pk})


def replace_silent(season: Season, now: datetime) -> None:
    """Give places of players who have not confirmed to people who wait and have; the others keep theirs.

    The first to get a place has waited longest. The first to lose one signed up last.
    The caller holds the season's lock.
    """
    silent = season.entries.filter(state=Registration.State.SIGNED_UP).select_related("user")
    ready = _waiting(season).filter(confirmed_at__isnull=False)
    for old, new in zip(silent.reverse(), ready, strict=False):
        take_out(old, Registration.State.NO_SHOW, now)
        key = f"league_no_show:{old.pk}:{now.isoformat()}"
        queue("league_no_show", to=old.user, key=key, context={"entry": old.pk})
        _give_place(new, now)


@transaction.atomic
def confirm(entry: Registration) -> Registration:
    """Confirm that the player plays; people who wait may get a place by it. Safe to repeat.

    Raises Refused before the player was asked, and when they have left or someone else has their place.
    """
    require_account(entry.user)
    season = locked_season(entry.season_id)
    entry = season.entries.select_related("user").get(pk=entry.pk)
    if entry.state in (Registration.State.CONFIRMED, Registration.State.PLAYING):
        return entry
    if season.state != Season.State.CONFIRMING:
        raise Refused(_not_confirming(season))
    if entry.state not in (Registration.State.SIGNED_UP, Registration.State.WAITING):
        raise Refused(_("Your place is no longer reserved. Sign up again to join the waiting list."))
    entry.confirmed_at = entry.confirmed_at or clock.now()
    if entry.state == Registration.State.SIGNED_UP:
        entry.state = Registration.State.CONFIRMED
    entry.save(update_fields=["state", "confirmed_at"])
    reschedule(season)
    return entry


def _not_confirming(season: Season) -> str:
    if season.state in (Season.State.PLANNED, Season.State.SIGN_UP):
        return _("You can’t confirm yet. We’ll email you when sign-up has ended.")
    if season.state == Season.State.CANCELLED:
        return _("This season was cancelled.")
    return _("This season has already begun.")
