"""Cancel a season before its first round."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import AuditEvent, Invitation, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.invitation_emails import recipient_of
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_organiser
from games.leagues.services.schedule import reschedule
from games.services import Refused


@transaction.atomic
def cancel(season: Season, by: User | None, reason: str = "", *, why: str = "") -> None:
    """Cancel a season before its first round and email everyone in it or invited to it. Safe to repeat.

    An organiser gives a reason. An automatic cancellation has a `why` from AuditEvent.
    """
    season = locked_season(season)
    require_organiser(season.league, by)
    if season.state == Season.State.CANCELLED:
        return
    if season.state in (Season.State.RUNNING, Season.State.CLOSED):
        raise Refused(_("The season has begun, so it can’t be cancelled. It ends with its last table."))
    was_opened = season.state != Season.State.PLANNED
    reason = "" if why else cleaned_reason(reason)
    season.state, season.closed_at, season.short_since = Season.State.CANCELLED, clock.now(), None
    season.save(update_fields=["state", "closed_at", "short_since"])
    reschedule(season)
    record_event(AuditEvent.Kind.CANCELLED, season, by, reason=reason, facts={"why": why} if why else {})
    if was_opened:
        _email_the_cancellation(season)
    season.invited.filter(state=Invitation.State.SENT).update(state=Invitation.State.WITHDRAWN)


def _email_the_cancellation(season: Season) -> None:
    """Email everyone in the season and everyone with an open invitation, each person once."""
    recipients: dict[str, tuple[User | str, User]] = {
        entry.user.email: (entry.user, entry.user)
        for entry in season.entries.exclude(state__in=Registration.OUT).select_related("user")
    }
    for invited in season.invited.filter(state=Invitation.State.SENT).select_related("by"):
        if to := recipient_of(invited):
            recipients.setdefault(invited.email, (to, invited.by))
    for address, (to, by) in sorted(recipients.items()):
        key = f"league_cancelled:{season.pk}:{address}"
        queue("league_cancelled", to=to, key=key, context={"season": season.pk}, by=by)
