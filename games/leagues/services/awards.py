"""Points that organisers award at a finished table, and results that they correct, whatever was played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.models import AuditEvent, Award, LeagueTable, Season
from games.leagues.results.stored_facts import facts_as_played
from games.leagues.scoring.scoring_methods import MOST_POINTS
from games.leagues.scoring.table_facts import BadFacts, SeatCorrection, corrected
from games.leagues.services.audit_log import record_event
from games.leagues.services.league_ratings import rate_again
from games.leagues.services.league_texts import cleaned_reason
from games.leagues.services.permissions import locked_by_organiser
from games.leagues.services.season_end import is_correctable, publish_again
from games.leagues.services.table_deadlines import people_of
from games.models import Table
from games.services import Refused


@transaction.atomic
def award(
    table: LeagueTable,
    by: User,
    points: Sequence[int | None],
    reason: str,
    results: Sequence[SeatCorrection] | None = None,
) -> None:
    """Award points at a finished table, one value for each position, and correct its places and regions.

    None for points means those of the table's result. None for `results` means that winner, places and
    regions stay as played. With nothing but None, earlier awards are withdrawn. The last award counts.
    Repeating the same award changes nothing.
    It corrects a closed season: its places are published again, and we email everyone whose place changes.
    Raises Refused before the result is counted, some days after the season was closed, and for invalid
    points. Also raises Refused as every organiser action does.
    """
    table, season = locked_by_organiser(table, by)
    reason = cleaned_reason(reason)
    require_awardable(table, season)
    _require_points(points, table)
    stored = _stored_results(table, results)
    last = table.awards.last()
    is_withdrawn = stored is None and all(point is None for point in points)
    known = (last.points, last.results, last.reason, last.by_id) if last else None
    if known == (list(points), stored, reason, by.pk) or (is_withdrawn and last is None):
        return
    if is_withdrawn:
        table.awards.all().delete()
    else:
        Award.objects.create(table=table, points=list(points), results=stored, reason=reason, by=by)
    rate_again(LeagueTable.objects.filter(pk=table.pk))
    facts: dict[str, Any] = {"points": list(points)} | ({"results": stored} if stored else {})
    if season.state == Season.State.CLOSED:
        facts |= publish_again(season)
    moved = User.objects.filter(pk__in=[user for user, *_places in facts.get("places", ())])
    touched = [*people_of(table), *moved]
    kind = AuditEvent.Kind.UNAWARDED if is_withdrawn else AuditEvent.Kind.AWARDED
    record_event(kind, season, by, touched=touched, reason=reason, facts=facts, table=table)


def require_awardable(table: LeagueTable, season: Season) -> None:
    """Raise Refused unless the table's result is counted, and is not final yet."""
    if not is_correctable(season):
        raise Refused(_("Results can be corrected for 14 days after a season’s end. They are final now."))
    if table.table is None or table.table.state != Table.State.FINISHED:
        raise Refused(_("The game at this table is not over yet."))
    if table.facts is None:
        raise Refused(_("This table’s result is being counted. Try again in a minute."))


def _stored_results(table: LeagueTable, results: Sequence[SeatCorrection] | None) -> list[list[int]] | None:
    """Return the corrections as they are stored; None if they leave everything as played."""
    if results is None:
        return None
    played = facts_as_played(table)
    try:
        corrected(played, results)
    except BadFacts as wrong:
        raise Refused(
            _("Count places from 1. Players who share a place leave out the next, as in 1, 2, 2, 4.")
        ) from wrong
    if [(seat.place, seat.regions) for seat in played.seats] == [(one.place, one.regions) for one in results]:
        return None
    return [[one.place, one.regions] for one in results]


def _require_points(points: Sequence[int | None], table: LeagueTable) -> None:
    if len(points) != table.game_table.size:
        raise Refused(_("Enter the points of each seat."))
    if table.round.is_final and any(point is not None for point in points):
        raise Refused(_("The final gives no points. Correct its places instead."))
    for point in points:
        if point is not None and (type(point) is not int or not 0 <= point <= MOST_POINTS):
            raise Refused(_("Points must be whole numbers from 0 to %(most)d.") % {"most": MOST_POINTS})
