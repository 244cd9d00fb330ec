"""Organisers move players between divisions before the first round."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.models import AuditEvent, Division, Registration, Season
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.locks import locked_season
from games.leagues.services.permissions import require_organiser
from games.services import Refused


@transaction.atomic
def move_entry(entry: Registration, by: User, level: int, reason: str) -> Registration:
    """Move a player to another division; possible until a round of either division is drawn.

    Moving a player to their current division does nothing.
    Raises Refused if there is no such division or too few players would remain in the old one.
    Also raises Refused as every organiser action does.
    """
    season = locked_season(entry.season_id)
    require_organiser(season.league, by)
    entry = Registration.objects.select_related("user", "division").get(pk=entry.pk)
    reason = cleaned_reason(reason)
    if entry.state != Registration.State.PLAYING or entry.division is None:
        raise Refused(_("You can move only players of a season in progress."))
    if entry.division.level == level:
        return entry
    division = _free_to_come(season, level)
    _require_free_to_go(season, entry.division)
    facts = {"from": entry.division.level, "to": level}
    entry.division = division
    entry.save(update_fields=["division"])
    record_event(AuditEvent.Kind.MOVED, season, by, touched=[entry.user], reason=reason, facts=facts)
    return entry


def _free_to_come(season: Season, level: int) -> Division:
    division = season.divisions.filter(level=level).first()
    if division is None:
        raise Refused(_("There is no such division. Choose another."))
    _require_not_begun(division)
    if _playing(division) >= season.division_size:
        raise Refused(_("That division is full. Choose another."))
    return division


def _require_free_to_go(season: Season, division: Division) -> None:
    _require_not_begun(division)
    if _playing(division) <= season.size:
        raise Refused(_("Too few players would be left in their division for a table."))


def _require_not_begun(division: Division) -> None:
    if division.rounds.filter(draw__isnull=False).exists():
        raise Refused(
            _("The first round has begun. Players now stay in their division until the season ends.")
        )


def _playing(division: Division) -> int:
    return division.entries.filter(state=Registration.State.PLAYING).count()
