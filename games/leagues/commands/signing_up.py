"""How people come into a season before it begins, and leave it: sign-up, waiting list, confirming.

Every command locks the season first, so that two people never take the last place together.
"""

from __future__ import annotations

from datetime import datetime

from django.db import models, transaction
from django.utils.translation import gettext as _

from accounts import present
from accounts.models import User
from accounts.post.outbox import queue
from games.commands import Refused
from games.leagues.commands.locking import locked_season
from games.leagues.commands.looking import put_off
from games.leagues.commands.people import require_account, require_welcome
from games.leagues.models import Entry, Invited, Season

HAVE_A_PLACE = (Entry.State.EXPECTED, Entry.State.SIGNED_UP, Entry.State.CONFIRMED)
MAY_COME_BACK = (Entry.State.LEFT, Entry.State.DROPPED)


@transaction.atomic
def sign_up(season: Season, user: User) -> Entry:
    """A place in the season, or one on its waiting list. Twice is once; who had left queues anew.

    While players confirm, whoever gets a free place by signing up has confirmed by that. Raises Refused
    where the season is not open, for a closed account, and for whom an organiser has blocked.
    """
    require_account(user)
    season = locked_season(season)
    require_open(season)
    entry = season.entries.filter(user=user).first() or Entry(season=season, user=user)
    if entry.pk and not entry.is_out and entry.state != Entry.State.EXPECTED:
        return entry
    require_welcome(season.league, user)
    if entry.pk and entry.is_out:
        _come_back(entry)
    _take_place(season, entry, present.now())
    _answer_invitations(season, entry)
    entry.save()
    put_off(season)
    return entry


def require_open(season: Season) -> None:
    """Raises Refused, with the reason, where nobody can sign up, not even to wait."""
    if season.state == Season.State.PLANNED:
        raise Refused(_("The sign-up has not opened yet."))
    if season.state == Season.State.CALLED_OFF:
        raise Refused(_("This season was called off."))
    if season.state == Season.State.CLOSED:
        raise Refused(_("This season is over."))
    if season.state == Season.State.RUNNING and not season.fills_gaps:
        raise Refused(_("This season has begun, and nobody comes into it later."))


def _come_back(entry: Entry) -> None:
    if entry.state not in MAY_COME_BACK:
        raise Refused(_("You are out of this season."))
    entry.reserved, entry.seeding, entry.out_at, entry.reason = None, 0, None, ""
    entry.asked_at = entry.confirmed_at = None


def _take_place(season: Season, entry: Entry, now: datetime) -> None:
    was_kept = entry.state == Entry.State.EXPECTED
    entry.signed_at = now
    if season.state == Season.State.RUNNING or not (was_kept or free_places(season)):
        entry.state = Entry.State.WAITING
    elif season.state == Season.State.CONFIRMING:
        entry.state, entry.confirmed_at = Entry.State.CONFIRMED, now
    else:
        entry.state = Entry.State.SIGNED_UP


def free_places(season: Season) -> int:
    """How many places nobody has, nor has kept for him, nor waits for."""
    taken = season.entries.filter(state__in=(*HAVE_A_PLACE, Entry.State.WAITING)).count()
    return max(season.places - taken, 0)


def _answer_invitations(season: Season, entry: Entry) -> None:
    """Who signs up has answered; the level that was kept for him is his, unless he has earned one."""
    invited = season.invited.filter(email=entry.user.email, state=Invited.State.SENT).first()
    if invited is not None:
        invited.state = Invited.State.ACCEPTED
        invited.save(update_fields=["state"])
        entry.reserved = entry.reserved or invited.level


@transaction.atomic
def leave_season(season: Season, user: User) -> Entry:
    """Leave before the start, or the waiting list at any time; the first who waits moves up. Twice is once.

    Raises Refused for who plays already: he withdraws.
    """
    season = locked_season(season)
    entry = season.entries.filter(user=user).first()
    if entry is None:
        raise Refused(_("You are not in this season."))
    if entry.is_out:
        return entry
    if entry.state == Entry.State.PLAYING:
        raise Refused(_("The season has begun: withdraw from it instead."))
    take_out(entry, Entry.State.LEFT, present.now())
    move_up(season, present.now())
    put_off(season)
    return entry


def take_out(entry: Entry, state: Entry.State, now: datetime) -> None:
    """He is out of the season, whose row the caller holds, before it has begun."""
    entry.state, entry.out_at = state, now
    entry.save(update_fields=["state", "out_at"])


def move_up(season: Season, now: datetime) -> list[Entry]:
    """Free places go to those who wait, in their order; they are told, and asked where players confirm.

    The caller holds the season's row. While it runs nobody moves up by this.
    """
    if season.state not in (Season.State.PLANNED, Season.State.SIGN_UP, Season.State.CONFIRMING):
        return []
    free = season.places - season.entries.filter(state__in=HAVE_A_PLACE).count()
    moving = list(_waiting(season)[: max(free, 0)]) if calls_up(season, now) else []
    for entry in moving:
        _give_place(season, entry, now)
    return moving


def _waiting(season: Season) -> models.QuerySet[Entry]:
    return season.entries.filter(state=Entry.State.WAITING).select_related("user")


def calls_up(season: Season, now: datetime) -> bool:
    """Whether somebody who gets a place now can still be asked to confirm it.

    After the first days to confirm that is done once, so that it ends; and as long as the sign-up was
    prolonged.
    """
    if season.state != Season.State.CONFIRMING or now < season.signup_ends_at:
        return True
    return not season.entries.filter(asked_at__gte=season.confirm_by).exists()


def _give_place(season: Season, entry: Entry, now: datetime) -> None:
    entry.state = Entry.State.SIGNED_UP
    if season.state == Season.State.CONFIRMING:
        ask_to_confirm(entry, now)
        return
    entry.save(update_fields=["state"])
    key = f"league_place:{entry.pk}:{now.isoformat()}"
    queue("league_place", to=entry.user, key=key, about={"entry": entry.pk})


def ask_to_confirm(entry: Entry, now: datetime) -> None:
    """He has a place if he says so within the season's days."""
    entry.asked_at = now
    entry.save(update_fields=["state", "asked_at"])
    key = f"league_confirm:{entry.pk}:{now.isoformat()}"
    queue("league_confirm", to=entry.user, key=key, about={"entry": entry.pk})


@transaction.atomic
def confirm(entry: Entry) -> Entry:
    """He plays, whatever comes. Twice is once; too late is not, as long as a place is free.

    Raises Refused before he was asked, and when his place is somebody else's.
    """
    require_account(entry.user)
    season = locked_season(entry.season_id)
    entry = season.entries.select_related("user").get(pk=entry.pk)
    if entry.state in (Entry.State.CONFIRMED, Entry.State.PLAYING):
        return entry
    _require_confirmable(season, entry)
    entry.state, entry.confirmed_at, entry.out_at = Entry.State.CONFIRMED, present.now(), None
    entry.save(update_fields=["state", "confirmed_at", "out_at"])
    put_off(season)
    return entry


def _require_confirmable(season: Season, entry: Entry) -> None:
    if season.state != Season.State.CONFIRMING:
        raise Refused(_not_confirming(season))
    if entry.state == Entry.State.WAITING:
        raise Refused(_("You are waiting for a place: you are asked once there is one for you."))
    is_late = entry.state == Entry.State.DROPPED and free_places(season)
    if entry.state != Entry.State.SIGNED_UP and not is_late:
        raise Refused(_("Your place is no longer kept; you can sign up again, and wait for another."))


def _not_confirming(season: Season) -> str:
    if season.state in (Season.State.PLANNED, Season.State.SIGN_UP):
        return _("You are asked to confirm once the sign-up has ended.")
    if season.state == Season.State.CALLED_OFF:
        return _("This season was called off.")
    return _("This season has begun already.")
