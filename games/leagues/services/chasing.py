"""Remind people who have not answered an invitation, or not confirmed their place.

Organisers do it at most once in three days and three times. Two days before sign-up ends, the season reminds
everyone invited once, unless an organiser has just done so. The league's log keeps count.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import Block, User
from games.leagues.models import AuditEvent, Invitation, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.chase_times import AGAIN_AFTER, MOST_CHASES, Chased, chases_of, reminder_at
from games.leagues.services.invitation_emails import recipient_of
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_staff
from games.leagues.services.schedule import reschedule
from games.services import Refused

TOO_NEW = timedelta(days=1)  # an invitation that young needs no reminder yet


def unanswered(season: Season) -> list[Invitation]:
    """Return the invitations without an answer while people can sign up."""
    if season.state not in (Season.State.SIGN_UP, Season.State.CONFIRMING):
        return []
    return list(season.invited.filter(state=Invitation.State.SENT).select_related("by"))


def silent(season: Season) -> list[Registration]:
    """Return the players who have yet to confirm, or to take the place reserved for them."""
    found = season.entries.select_related("user")
    if season.state == Season.State.SIGN_UP:
        return list(found.filter(state=Registration.State.EXPECTED, user__is_active=True))
    for entry in (entries := list(found.filter(user__is_active=True))):
        entry.season = season
    return [entry for entry in entries if entry.can_confirm]


def why_not(season: Season, whom: Chased, now: datetime) -> str:
    """Return why an organiser can't remind these people now; empty if they can."""
    events = chases_of(season, whom)
    if events.exclude(by=None).count() >= MOST_CHASES:
        return _("They have been reminded three times. That’s all.")
    if events.filter(at__gt=now - AGAIN_AFTER).exists():
        return _("They were reminded less than three days ago. Wait before you do it again.")
    return ""


@transaction.atomic
def chase(season: Season, by: User, whom: Chased, words: str = "") -> int:
    """Remind everyone who hasn't answered, with words of the organiser's own; return how many.

    Raises Refused if no one is left, soon after the last time, after three times, and as every organiser
    action does.
    """
    season, now = locked_season(season), clock.now()
    require_staff(season.league, by)
    words = cleaned_reason(words) if words.strip() else ""
    if refusal := why_not(season, whom, now):
        raise Refused(refusal)
    people = list(_recipients(season, whom, by))
    if not people:
        raise Refused(_("There is no one to remind."))
    _remind(season, whom, people, by, words)
    return len(people)


@transaction.atomic
def remind_before_end(season: Season, now: datetime) -> bool:
    """Remind everyone invited two days before sign-up ends, in the tick; return whether this call did."""
    season = locked_season(season)
    due = reminder_at(season)
    if due is None or not due <= now < season.signup_ends_at:
        return False
    people = [one for one in _invited(season, None) if _since(one) < now - TOO_NEW]
    _remind(season, Chased.INVITED, people, None, "")
    reschedule(season)
    return True


def _since(one: Invitation | Registration) -> datetime:
    return one.sent_at if isinstance(one, Invitation) else one.registered_at


def _recipients(season: Season, whom: Chased, by: User) -> Iterator[Invitation | Registration]:
    """Yield those who get the reminder: not people who block the organiser."""
    if whom == Chased.INVITED:
        yield from _invited(season, by)
        return
    entries = silent(season) if season.state == Season.State.CONFIRMING else []
    blocking = _blocking(by, entries)
    yield from [entry for entry in entries if entry.user_id not in blocking]


def _invited(season: Season, by: User | None) -> Iterator[Invitation | Registration]:
    yield from [one for one in unanswered(season) if recipient_of(one) is not None]
    kept = silent(season) if season.state == Season.State.SIGN_UP else []
    blocking = _blocking(by, kept)
    yield from [entry for entry in kept if entry.user_id not in blocking]


def _blocking(by: User | None, entries: Collection[Registration]) -> set[int]:
    if by is None:
        return set()
    people = [entry.user_id for entry in entries]
    return {*Block.objects.filter(whom=by, by__in=people).values_list("by", flat=True), by.pk}


def _remind(
    season: Season,
    whom: Chased,
    people: Collection[Invitation | Registration],
    by: User | None,
    words: str,
) -> None:
    facts = {"whom": whom, "players": len(people)}
    event = record_event(AuditEvent.Kind.CHASED, season, by, reason=words, facts=facts)
    for one in people:
        context = {"again": True, "event": event.pk}
        if isinstance(one, Invitation):
            key = f"league_invitation:{one.pk}:{event.pk}"
            to = recipient_of(one) or one.email
            queue("league_invitation", to=to, key=key, context=context | {"invited": one.pk}, by=one.by)
        elif one.state == Registration.State.EXPECTED:
            key = f"league_opens:{season.pk}:{one.user_id}:{event.pk}"
            queue("league_opens", to=one.user, key=key, context=context | {"season": season.pk})
        else:
            key = f"league_confirm:{one.pk}:{event.pk}"
            queue("league_confirm", to=one.user, key=key, context=context | {"entry": one.pk})
