"""Opening a season's sign-up, leaving it open for longer, and calling the season off."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from accounts import present
from accounts.blocking import is_blocked
from accounts.models import User
from accounts.post.outbox import queue
from games.commands import Refused
from games.leagues.commands.deeds import write_down
from games.leagues.commands.locking import locked_season
from games.leagues.commands.looking import put_off
from games.leagues.commands.people import require_organiser
from games.leagues.commands.telling import tell
from games.leagues.commands.words import cleaned_reason
from games.leagues.models import Deed, Entry, Invited, Season

LONGEST_SIGN_UP = timedelta(days=365)
LATE_BY = timedelta(days=1)  # from so much on, the site itself was away: the other dates move with the first


@transaction.atomic
def open_sign_up(season: Season, by: User | None, now: datetime) -> bool:
    """From now on people sign up; who was in the last season, or was invited, is written to.

    By date, or before it by an organiser. Whether it was this call that opened it.
    """
    season = locked_season(season)
    require_organiser(season.league, by)
    if season.state != Season.State.PLANNED or (by is None and now < season.opens_at):
        return False
    _set_dates(season, by, now)
    season.state = Season.State.SIGN_UP
    season.save(update_fields=["state", "opens_at", "signup_ends_at", "begins_at"])
    write_down(Deed.Kind.OPENED, season, by)
    put_off(season)
    _tell_of_the_opening(season)
    return True


def _set_dates(season: Season, by: User | None, now: datetime) -> None:
    late = now - season.opens_at
    if by is not None:
        season.opens_at = min(now, season.opens_at)
    elif late > LATE_BY:
        season.opens_at, season.signup_ends_at = now, season.signup_ends_at + late
        season.begins_at += late


def _tell_of_the_opening(season: Season) -> None:
    for person in _known_people(season):
        key = f"league_opens:{season.pk}:{person.pk}"
        tell("league_opens", to=person, key=key, about={"season": season.pk})
    for invited in season.invited.filter(state=Invited.State.SENT).select_related("by"):
        write_to(invited)


def _known_people(season: Season) -> QuerySet[User]:
    """Who has a place kept, and who was in the season before to its end or still waited for a place."""
    kept = Q(league_entries__season=season, league_entries__state=Entry.State.EXPECTED)
    there = (Entry.State.PLAYING, Entry.State.CONFIRMED, Entry.State.SIGNED_UP, Entry.State.WAITING)
    before = season.league.seasons.filter(number__lt=season.number).exclude(state=Season.State.PLANNED).last()
    members = Q(league_entries__season=before, league_entries__state__in=there) if before else Q(pk=None)
    here = User.objects.filter(is_active=True, deleted_at=None)
    return here.filter(kept | members).distinct().order_by("pk")


def write_to(invited: Invited) -> None:
    """The letter of an invitation, once a day at most; none to whoever has blocked its sender."""
    if to := _reached(invited):
        queue("league_invitation", to=to, key=invited.letter_key, about={"invited": invited.pk})


def _reached(invited: Invited) -> User | str | None:
    """Whom a letter about this invitation goes to: an account, an address, or nobody."""
    person = User.objects.filter(email=invited.email).first()
    if person is not None and is_blocked(invited.by, by=[person.pk]):
        return None
    return person or invited.email


@transaction.atomic
def longer_sign_up(season: Season, by: User, until: datetime, reason: str) -> Season:
    """Leave the sign-up open until then; the first round begins so much later that all have time to confirm.

    Also where too few had signed up at its end. Raises Refused when the draw has been made.
    """
    season, now = locked_season(season), present.now()
    require_organiser(season.league, by)
    is_short = season.state == Season.State.CONFIRMING and season.short_since is not None
    if season.state != Season.State.SIGN_UP and not is_short:
        raise Refused(_("The sign-up is not open."))
    if not max(now, season.signup_ends_at) < until <= now + LONGEST_SIGN_UP:
        raise Refused(_("Name a moment after the present end of the sign-up, within a year."))
    reason, facts = cleaned_reason(reason), {"until": until.isoformat()}
    prolong(season, until)
    season.short_since = None
    season.save(update_fields=["short_since"])
    write_down(Deed.Kind.SIGN_UP_LONGER, season, by, reason=reason, facts=facts)
    put_off(season)
    return season


def prolong(season: Season, until: datetime) -> None:
    """The sign-up ends then, and the season begins no sooner than its players can have confirmed."""
    days = 0 if season.state == Season.State.CONFIRMING else season.confirm_days
    season.signup_ends_at = until
    season.begins_at = max(season.begins_at, until + timedelta(days=days))
    season.save(update_fields=["signup_ends_at", "begins_at"])


@transaction.atomic
def call_off(season: Season, by: User | None, reason: str = "", *, why: str = "") -> None:
    """End a season before its first round; whoever was in it or invited to it is told. Twice is once.

    An organiser gives a reason; what a season does by itself has a `why` of Deed.
    """
    season = locked_season(season)
    require_organiser(season.league, by)
    if season.state == Season.State.CALLED_OFF:
        return
    if season.state in (Season.State.RUNNING, Season.State.CLOSED):
        raise Refused(_("The season has begun: it ends with its last round."))
    was_opened = season.state != Season.State.PLANNED
    reason = "" if why else cleaned_reason(reason)
    season.state, season.closed_at, season.short_since = Season.State.CALLED_OFF, present.now(), None
    season.save(update_fields=["state", "closed_at", "short_since"])
    put_off(season)
    write_down(Deed.Kind.CALLED_OFF, season, by, reason=reason, facts={"why": why} if why else {})
    if was_opened:
        _tell_of_the_end(season)
    season.invited.filter(state=Invited.State.SENT).update(state=Invited.State.WITHDRAWN)


def _tell_of_the_end(season: Season) -> None:
    """To whoever is in it, and whoever was invited and has not answered; each once."""
    told: dict[str, User | str] = {
        entry.user.email: entry.user
        for entry in season.entries.exclude(state__in=Entry.OUT).select_related("user")
    }
    for invited in season.invited.filter(state=Invited.State.SENT).select_related("by"):
        if to := _reached(invited):
            told.setdefault(invited.email, to)
    for address in sorted(told):
        key = f"league_called_off:{season.pk}:{address}"
        queue("league_called_off", to=told[address], key=key, about={"season": season.pk})
