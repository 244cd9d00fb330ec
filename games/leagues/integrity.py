"""Recompute a season from its games and report where stored data differs. Changes nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from accounts.mail.models import OutgoingEmail
from games.leagues.models import Division, LeagueTable, Registration, Round, Season, SeatAssignment, Standing
from games.leagues.results.division_standings import division_standings
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.results.stored_facts import facts_json, facts_of
from games.leagues.results.table_results import facts_of_table
from games.leagues.scoring.computed_standings import ComputedStandings
from games.leagues.scoring.scoring_methods import ScoringMethod, ScoringRules
from games.leagues.scoring.table_facts import BadFacts, TableEnding, TableFacts
from games.leagues.scoring.table_points import scores_of, shares_of
from games.leagues.services.schedule import next_action_at
from games.leagues.services.season_end import standings_of
from games.leagues.services.unrecorded_absences import unrecorded_absences
from games.models import Table
from games.models.replay import BrokenLog

# Emails of which each person gets at most one per subject.
_ONCE = ("league_begins", "league_table", "league_result", "league_ask", "league_closed", "league_opens")


def recomputed(season: Season) -> list[str]:
    """Return the differences between the season and its games as sentences; empty for a sound season.

    Nothing is locked, so a season that changes during the check can give false reports.
    """
    return list(_check_season(season))


def _check_season(season: Season) -> Iterator[str]:
    for division in season.divisions.order_by("level"):
        division.season = season
        tables = _tables_of(division)
        for table in tables:
            yield from _check_table(table, scoring_rules_of(season))
        for round_ in division.rounds.filter(draw__isnull=False):
            yield from _check_round(round_)
        yield from _check_points(division)
    yield from _check_places(season)
    yield from _check_emails(season)
    if season.next_action_at != next_action_at(season):
        yield f"its next action is set for {season.next_action_at}, but is due at {next_action_at(season)}"


def _tables_of(division: Division) -> list[LeagueTable]:
    rows = LeagueTable.objects.filter(round__division=division).order_by("round__number", "number")
    return list(rows.select_related("round", "table").prefetch_related("awards"))


def _check_table(row: LeagueTable, rules: ScoringRules) -> Iterator[str]:
    wrong = list(_check_seats(row))
    yield from wrong
    if wrong:  # its seats' points cannot be computed
        return
    if (row.facts is None) != (row.collected_at is None):
        yield f"{row}: it has a result but is not marked as counted, or the other way round"
    if row.facts is None:
        return
    if row.game_table.state != Table.State.FINISHED:
        yield f"{row}: it is marked as counted, but is still being played"
        return
    try:
        stored, computed = facts_of(row), facts_json(facts_of_table(row))
    except (BrokenLog, BadFacts) as unreadable:
        yield f"{row}: its result cannot be read ({unreadable})"
        return
    if row.facts != computed:
        yield f"{row}: its stored result is {row.facts}, but its games give {computed}"
    yield from _check_sum(row, stored, rules)


def _check_seats(row: LeagueTable) -> Iterator[str]:
    """Check that assignments match the seats of the games, and that no one has two seats."""
    assignments = list(row.assignments.order_by("position").values_list("position", "entry__user_id"))
    people = [user for _position, user in assignments]
    if len(set(people)) < len(people):
        yield f"{row}: someone was seated twice"
    if row.table is None:
        return
    positions = [position for position, _user in assignments]
    is_possible = set(positions) < set(range(row.table.size)) and row.made_up_for.exists()
    if positions != list(range(row.table.size)) and not is_possible:
        yield f"{row}: it has {row.table.size} seats, but these assignments: {assignments}"
    now = [user for user in row.table.seats.values_list("user_id", flat=True) if user is not None]
    if len(set(now)) < len(now):
        yield f"{row}: someone has two seats"


def _check_sum(row: LeagueTable, facts: TableFacts, rules: ScoringRules) -> Iterator[str]:
    """Check that the seats' points add up to what the scoring gives, and that all of it is shared out."""
    scores = scores_of(facts, rules)
    given = sum([score.points for score in scores], Fraction(0))
    if facts.awarded is None and given != _worth(facts, rules):
        yield f"{row}: its seats have {given} points in all, not {_worth(facts, rules)}"
    for seat in facts.seats:
        if sum(shares_of(seat, rules.split).values()) != 1:
            yield f"{row}: the points of a seat are not fully shared among its holders"
    held = [{holder.player for holder in seat.holders} - {None} for seat in facts.seats]
    if any(count > 1 for count in Counter(player for seat in held for player in seat).values()):
        yield f"{row}: someone held two of its seats"


def _worth(facts: TableFacts, rules: ScoringRules) -> Fraction:
    """Return the sum of all seats' points by the scoring, whatever the result."""
    if facts.how == TableEnding.ABANDONED:
        return Fraction(0)
    match rules.scoring:
        case ScoringMethod.PLACEMENT:
            return sum(rules.points_by_place(len(facts.seats)), Fraction(0))
        case ScoringMethod.WINS:
            return Fraction(any(seat.won for seat in facts.seats))
        case ScoringMethod.POINTS:
            return Fraction(sum([seat.regions + seat.bonus for seat in facts.seats]))


def _check_round(round_: Round) -> Iterator[str]:
    """Check that everyone who was drawn and stays has one seat or bye.

    Of the others, only people who took the place of a player have one.
    """
    seats = SeatAssignment.objects.filter(table__round=round_).values_list("entry", flat=True)
    found = Counter([*seats, *round_.byes.values_list("entry", flat=True)])
    draw = round_.draw or {"tables": (), "byes": ()}
    unrecorded = {entry.pk for entry in unrecorded_absences(round_)}
    drawn = {*draw["byes"], *[player for table in draw["tables"] for player in table]}
    for entry in Registration.objects.filter(division=round_.division_id).select_related("user"):
        times, is_drawn = found[entry.pk], entry.user_id in drawn
        if times > 1:
            yield f"{round_}: {entry.user} appears {times} times"
        if times and not is_drawn and entry.in_place_of_id is None:
            yield f"{round_}: {entry.user} has a seat or a bye, but is not in the draw"
        stays = not entry.is_out and entry.user.is_active and round_.number not in entry.skipped
        if not times and is_drawn and stays and entry.pk in unrecorded:
            yield f"{round_}: {entry.user} was left out while away, without a record: --mend adds it"
        elif not times and is_drawn and stays:
            yield f"{round_}: {entry.user} is in the draw, but has no seat and no bye"


def _check_points(division: Division) -> Iterator[str]:
    """Check that the tables' points equal those of players and substitutes plus those lost to bots."""
    computed, rules = division_standings(division), scoring_rules_of(division.season)
    given = lost = Fraction(0)
    for facts in computed.facts:
        for seat, score in zip(facts.seats, scores_of(facts, rules), strict=True):
            given += score.points
            lost += score.points * shares_of(seat, rules.split).get(None, 0)
    shared = _shared(computed.standings)
    if given != shared + lost:
        yield f"{division}: its tables gave {given} points, but players have {shared} and bots had {lost}"


def _shared(standing: ComputedStandings) -> Fraction:
    own = [result.points for row in standing.rows for result in row.results if result.table is not None]
    return sum([*own, *[one.points for one in standing.substitute_results]], Fraction(0))


def _check_places(season: Season) -> Iterator[str]:
    """Check that the published places are those computed from its tables."""
    if season.state != Season.State.CLOSED:
        return
    stored = list(Standing.objects.filter(division__season=season).order_by("division__level", "place"))
    if [_place_of(row) for row in stored] != [_place_of(row) for row in standings_of(season)]:
        yield f"{season}: its stored places differ from those computed from its tables"


def _place_of(row: Standing) -> tuple[object, ...]:
    numbers = row.place, row.points, row.tables, row.victories, row.average
    return row.division_id, row.entry_id, *numbers, row.next_level, row.won_final


def _check_emails(season: Season) -> Iterator[str]:
    """Check that no one got two emails about one round, one offer or one end of a season."""
    written = OutgoingEmail.objects.filter(kind__in=_ONCE).values_list("kind", "to_user", "context")
    for (kind, to, context), times in Counter((kind, to, str(facts)) for kind, to, facts in written).items():
        if times > 1:
            yield f"{season.league}: user {to} got {times} emails of the kind {kind} about {context}"
