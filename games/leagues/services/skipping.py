"""Players skip their next table, or take part in it after all."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from games.leagues.models import AuditEvent, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.locks import locked_season
from games.leagues.services.ready_tables import next_round
from games.leagues.services.schedule import reschedule
from games.services import Refused


@transaction.atomic
def skip(entry: Registration, number: int) -> None:
    """Sit out the player's next table, in this round: it begins without them. Safe to repeat.

    Raises Refused if it has begun, or is not the next one.
    """
    season, entry = _with_next(entry, number)
    if number in entry.skipped:
        return
    entry.skipped = [*entry.skipped, number]
    _save_skips(season, entry, AuditEvent.Kind.SKIPPED, number)


@transaction.atomic
def undo_skip(entry: Registration, number: int) -> None:
    """Take part in a skipped table after all. Safe to repeat. Raises Refused if it has begun."""
    season, entry = _with_next(entry, number)
    if number not in entry.skipped:
        return
    entry.skipped = [one for one in entry.skipped if one != number]
    _save_skips(season, entry, AuditEvent.Kind.NOT_SKIPPED, number)


def _with_next(entry: Registration, number: int) -> tuple[Season, Registration]:
    """Return the locked season and the player as they are now, whose next table is in this round."""
    season = locked_season(entry.season_id)
    entry = season.entries.select_related("user", "division").get(pk=entry.pk)
    if season.state != Season.State.RUNNING or next_round(entry) != number:
        raise Refused(_("This table has already begun, or isn’t your next one. Nothing was changed."))
    return season, entry


def _save_skips(season: Season, entry: Registration, kind: AuditEvent.Kind, number: int) -> None:
    entry.save(update_fields=["skipped"])
    assert entry.division is not None
    round_ = entry.division.rounds.get(number=number)
    record_event(kind, season, entry.user, round=round_)
    reschedule(season)
