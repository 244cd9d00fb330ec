"""Draw the rounds of a division: who sits with whom, and who has a bye.

The tick may run twice at once, so each step looks again under the lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from fractions import Fraction

from django.db import transaction
from django.db.models import Max

from accounts import clock
from accounts.availability import back_at
from games.leagues.models import (
    AuditEvent,
    Bye,
    Division,
    LeagueTable,
    Registration,
    Round,
    Season,
    SeatAssignment,
)
from games.leagues.results.division_standings import division_standings
from games.leagues.results.drawn_rounds import FirstDraw, first_draw, seated_rounds
from games.leagues.seating import Seated, seat_next
from games.leagues.services.audit_log import notify, record_event
from games.leagues.services.league_news import tell_round_drawn
from games.leagues.services.locks import locked_division
from games.leagues.services.ready_tables import round_to_draw, sits_down
from games.leagues.services.schedule import reschedule


@transaction.atomic
def draw_rounds(division: Division, now: datetime) -> int:
    """Draw each round that can be drawn once the season has begun; return how many.

    A balanced plan is drawn for the whole season at once. Swiss rounds wait for results.
    """
    division, season = locked_division(division)
    drawn = 0
    if season.state != Season.State.RUNNING or now < season.begins_at:
        return drawn
    while (round_ := round_to_draw(division)) is not None:
        round_.division = division
        _draw(round_, season)
        drawn += 1
    if drawn:
        reschedule(season)
    return drawn


def players_of(round_: Round) -> list[Registration]:
    """Return the players of this round: those playing in its division with an active account."""
    here = round_.division.entries.filter(from_round__lte=round_.number)
    here = here.select_related("user").prefetch_related("user__holidays")
    return [entry for entry in here.order_by("user_id") if sits_down(entry, round_)]


def _draw(round_: Round, season: Season) -> None:
    entries = {entry.user_id: entry for entry in players_of(round_)}
    scores = _scores_before(round_, season, entries)
    before = [seated for number, seated in seated_rounds(round_.division).items() if number < round_.number]
    points = None if scores is None else {int(player): Fraction(text) for player, text in scores.items()}
    fixed = first_draw(round_.division) if before else None
    if fixed is None:
        away = [user for user, entry in entries.items() if _is_away(entry)]
        fixed = FirstDraw(tuple(away), season.rounds)
    seated = seat_next(
        entries,
        season.size,
        season.rounds,
        bytes.fromhex(season.seed),
        before=before,
        scores=points,
        away=fixed.away,
        at_once=season.tables_at_once,
        sized_for=fixed.sized_for,
    )
    round_.draw = {"tables": seated.tables, "byes": seated.byes, "scores": scores}
    if round_.number == 1:
        round_.draw |= {"away": fixed.away, "sized_for": fixed.sized_for}
    round_.save(update_fields=["draw"])
    _lay_out(round_, seated, entries)
    record_event(AuditEvent.Kind.ROUND_DRAWN, season, None, round=round_)
    tell_round_drawn(round_, season)


def _is_away(entry: Registration) -> bool:
    return back_at(entry.user, entry.user.holidays.all(), clock.now()) is not None


def _scores_before(
    round_: Round, season: Season, entries: Mapping[int, Registration]
) -> dict[str, str] | None:
    """Return everyone's points so far as fractions, if the format pairs equal scores."""
    if season.format != Season.Format.SWISS:
        return None
    rows = division_standings(round_.division).standings.rows
    return {str(row.player): str(row.points) for row in rows if row.player in entries}


def _lay_out(round_: Round, seated: Seated, entries: Mapping[int, Registration]) -> None:
    """Create the planned tables with their seats, and the byes."""
    for number, players in enumerate(seated.tables, start=1):
        row = LeagueTable.objects.create(round=round_, number=number)
        assign_seats(row, {seat: entries[player] for seat, player in enumerate(players)})
    give_byes(round_, [entries[player] for player in seated.byes], is_told=bool(seated.tables))


def assign_seats(row: LeagueTable, entries: Mapping[int, Registration]) -> None:
    """Store whose seats these are, by their number."""
    row.assignments.all().delete()
    SeatAssignment.objects.bulk_create(
        [SeatAssignment(table=row, position=seat, entry=entry) for seat, entry in sorted(entries.items())]
    )


def give_byes(round_: Round, entries: Iterable[Registration], *, is_told: bool = True) -> None:
    for entry in entries:
        bye = Bye.objects.create(round=round_, entry=entry)
        if is_told:
            notify("league_bye", to=entry.user, key=f"league_bye:{bye.pk}", context={"bye": bye.pk})


def draw_again(division: Division) -> int:
    """Take back the draw of all rounds after the last of which a table has begun; return the first of them.

    The next tick draws them with the players of then. Needs the season's lock.
    """
    begun = division.rounds.filter(tables__table__isnull=False).aggregate(last=Max("number"))["last"] or 0
    later = division.rounds.filter(number__gt=begun)
    LeagueTable.objects.filter(round__in=later).delete()
    Bye.objects.filter(round__in=later).delete()
    later.update(draw=None)
    return begun + 1
