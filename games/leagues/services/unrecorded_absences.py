"""Players whom a table left out while they were away, without a record of it: a fault of release 0.1.0.

If several tables of a player began in one tick, it recorded only the last of these. The league's log has all.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from games.leagues.models import AuditEvent, Registration, Round, Season
from games.leagues.services.locks import locked_season


def unrecorded_absences(round_: Round) -> list[Registration]:
    """Return the players who were left out, as the log says, without a seat, a bye or a record of it."""
    left_out = AuditEvent.objects.filter(kind=AuditEvent.Kind.LEFT_OUT, round=round_).values("touched")
    entries = Registration.objects.filter(division=round_.division_id, user__in=left_out)
    here = entries.exclude(assignments__table__round=round_).exclude(byes__round=round_)
    return [
        entry
        for entry in here.select_related("user").order_by("pk")
        if round_.number not in entry.skipped and not entry.is_out
    ]


@transaction.atomic
def record_absences(season: Season) -> list[str]:
    """Record these absences in all rounds of a season; return what was recorded, a sentence each."""
    return list(_recorded(locked_season(season)))


def _recorded(season: Season) -> Iterator[str]:
    rounds = Round.objects.filter(division__season=season, draw__isnull=False)
    for round_ in rounds.select_related("division__season__league").order_by("division__level", "number"):
        for entry in unrecorded_absences(round_):
            entry.skipped = sorted({*entry.skipped, round_.number})
            entry.save(update_fields=["skipped"])
            yield f"{round_}: recorded that {entry.user} was left out while away"
