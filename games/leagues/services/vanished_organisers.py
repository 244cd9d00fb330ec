"""An organiser asks whether another is still here, and may remove them if no answer comes."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.models import User
from accounts.row_locks import free
from accounts.times import day
from games.leagues.models import AuditEvent, Organiser
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_league
from games.leagues.services.permissions import require_organiser
from games.services import Refused

TIME_TO_ANSWER = timedelta(days=14)
ONCE_IN = timedelta(days=1)  # how often one is asked


def may_be_removed_at(organiser: Organiser) -> datetime | None:
    """Return when the others may remove this organiser; None if no one waits for their answer."""
    return organiser.asked_at and organiser.asked_at + TIME_TO_ANSWER


@transaction.atomic
def ask_whether_here(organiser: Organiser, by: User) -> None:
    """Ask another organiser by email whether they are still here. Safe to repeat: they are asked once.

    Raises Refused if they stopped organising, and for those who were asked less than a day ago and answered.
    """
    league = locked_league(organiser.league)
    require_organiser(league, by)
    asked = _still_organiser(organiser, by)
    if asked.asked_at is not None:
        return
    lately = clock.now() - ONCE_IN
    if league.events.filter(kind=AuditEvent.Kind.STILL_HERE, touched=asked.user, at__gt=lately).exists():
        raise Refused(_("They answered this less than a day ago. Nothing was changed."))
    event = record_event(
        AuditEvent.Kind.STILL_HERE, league, by, touched=[asked.user], email="league_still_here"
    )
    asked.asked_at = event.at
    asked.save(update_fields=["asked_at"])


@transaction.atomic
def say_still_here(organiser: Organiser) -> None:
    """Answer that one is still here. Safe to repeat; later acts as an organiser answer as well."""
    asked = Organiser.objects.select_related("league", "user").filter(pk=organiser.pk).first()
    if asked is None:
        raise Refused(_("You no longer organise this league."))
    if Organiser.objects.filter(pk=asked.pk, asked_at__isnull=False).update(asked_at=None):
        record_event(AuditEvent.Kind.STILL_HERE, asked.league, asked.user)


@transaction.atomic
def remove_vanished(organiser: Organiser, by: User, reason: str) -> None:
    """Remove an organiser who did not answer for 14 days, and email them. Safe to repeat.

    Raises Refused before that time, after an answer, and as every organiser action does.
    """
    league, reason = locked_league(organiser.league), cleaned_reason(reason)
    require_organiser(league, by)
    if not Organiser.staff.filter(pk=organiser.pk).exists():
        return
    vanished = _still_organiser(organiser, by)
    due = may_be_removed_at(vanished)
    # A row that is not free belongs to an organiser who is doing something now.
    if due is None or not free(Organiser.objects.filter(pk=vanished.pk, asked_at=vanished.asked_at)):
        raise Refused(_("They have answered or done something as an organiser. Nothing was changed."))
    if clock.now() < due:
        # Translators: day is a date
        text = _("They have until %(day)s to answer. Nothing was changed.")
        raise Refused(text % {"day": day(due)})
    vanished.delete()
    record_event(
        AuditEvent.Kind.NO_ORGANISER,
        league,
        by,
        touched=[vanished.user],
        reason=reason,
        facts={"is_removed": True},
    )


def _still_organiser(organiser: Organiser, by: User) -> Organiser:
    """Return the row as it is now. Raises Refused for oneself and people who stopped organising."""
    found = Organiser.objects.select_related("user").filter(pk=organiser.pk).exclude(user=by).first()
    if found is None:
        raise Refused(_("They no longer organise this league. Nothing was changed."))
    return found
