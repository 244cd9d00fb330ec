"""What must be true of a simulated season, looked at from outside: when every round is over, and at the
end of all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from django.db.models import Exists, F, OuterRef, QuerySet

from games.leagues.integrity import recomputed
from games.leagues.models import (
    Division,
    League,
    LeagueTable,
    OpenSeat,
    Registration,
    Round,
    Season,
    SeatAssignment,
)
from games.leagues.ratings import Rating, rated_by
from games.leagues.results import DivisionStandings, division_standings, scoring_rules_of
from games.leagues.scoring import Holder, How, Scoring, ScoringRules, TableFacts, scores_of, shares_of
from games.leagues.services.league_ratings import rated_games
from games.leagues.standings import standings
from games.models import LogEntry, Seat, SeatChange, Table
from games.rules import EDITIONS
from games.services.moves import OWN_WAYS
from tests.simulation.games.checks import second_emails

NONE = Fraction(0)
# Of what a person may be told about one thing more than once: again before each end of a round; of each need.
TOLD_AGAIN = {"league_reminder": 2, "league_needs": 99}


class Delivered(NamedTuple):
    """Return an email that the mail server accepted."""

    kind: str
    to: str
    about: str
    message_id: str


# When a round is over


def over(league: League) -> QuerySet[Round]:
    """Return the rounds of which all tables are over."""
    open_tables = LeagueTable.objects.filter(round=OuterRef("pk"), collected_at=None)
    return Round.objects.filter(~Exists(open_tables), draw__isnull=False, division__season__league=league)


def of_round(round_: Round) -> Iterator[str]:
    """Yield a sentence for each promise that this round broke."""
    yield from _its_people(round_)
    computed = division_standings(round_.division)
    for table, facts in ((computed.tables[one.table], one) for one in computed.facts):
        if table.round_id == round_.pk:
            yield from _its_points(table, facts, computed, scoring_rules_of(round_.division.season))


def _its_people(round_: Round) -> Iterator[str]:
    """Check that tables are full, and that no one plays twice or after leaving."""
    assignments = list(
        SeatAssignment.objects.filter(table__round=round_).values_list("table", "position", "entry")
    )
    tables = list(round_.tables.select_related("table"))
    byes = list(round_.byes.values_list("entry", flat=True))
    for table in tables:
        seated = [entry for at, _position, entry in assignments if at == table.pk]
        if len(seated) != table.game_table.size:
            yield f"{table}: {len(seated)} people sit in {table.game_table.size} seats"
    for entry, times in Counter([*[entry for _table, _position, entry in assignments], *byes]).items():
        if times > 1:
            yield f"{round_}: entry {entry} is in it {times} times"
    out = Registration.objects.filter(
        assignments__table__round=round_, out_at__lt=F("assignments__table__begins_at")
    )
    for one in out.select_related("user"):
        yield f"{round_}: {one.user} plays after they have left"


def _its_points(
    table: LeagueTable, facts: TableFacts, computed: DivisionStandings, rules: ScoringRules
) -> Iterator[str]:
    """Check that the points of people and bots at this table add up to what the scoring gives."""
    own = [one.points for row in computed.standings.rows for one in row.results if one.table == table.pk]
    helped = [one.points for one in computed.standings.helps if one.table == table.pk]
    scores = scores_of(facts, rules)
    lost = [
        score.points * shares_of(seat, rules.split).get(None, 0)
        for seat, score in zip(facts.seats, scores, strict=True)
    ]
    have, worth = sum([*own, *helped, *lost], NONE), _worth(facts, rules)
    if have != worth:
        yield f"{table}: its people and bots have {have} points, the scoring gives {worth}"


def _worth(facts: TableFacts, rules: ScoringRules) -> Fraction:
    """Return the total points of such a table."""
    if facts.awarded is not None or rules.scoring != Scoring.PLACEMENT:
        return sum([score.points for score in scores_of(facts, rules)], NONE)
    return NONE if facts.how == How.ABANDONED else sum(rules.points_by_place(len(facts.seats)), NONE)


# At the end


def of_everything(league: League, delivered: Iterable[Delivered]) -> Iterator[str]:
    """Yield a sentence for each promise broken in the whole simulation."""
    for season in league.seasons.order_by("number"):
        yield from (f"{season}: {told}" for told in recomputed(season))
        for division in season.divisions.order_by("level"):
            division.season = season
            yield from _of_helpers_points(division)
        yield from _of_who_left(season)
    yield from _of_places_kept(league)
    yield from _of_helpers_ratings()
    yield from _of_emails(delivered)
    yield from second_emails()


def _of_helpers_points(division: Division) -> Iterator[str]:
    """Check that without substitutes everyone has the same points and the same place."""
    computed = division_standings(division)
    alone = [_without_helpers(facts) for facts in computed.facts]
    out = [player for player, entry in computed.entries.items() if entry.is_out]
    rules = scoring_rules_of(division.season)
    expected = standings(list(computed.entries), alone, computed.byes, rules, out)
    for row, other in zip(computed.standings.rows, expected.rows, strict=True):
        if (row.player, row.points) != (other.player, other.points):
            yield f"{division}: place {row.place} is another because somebody helped"


def _without_helpers(facts: TableFacts) -> TableFacts:
    seats = [
        replace(seat, holders=(seat.holders[0], *[Holder(None, one.turns) for one in seat.holders[1:]]))
        for seat in facts.seats
    ]
    return replace(facts, seats=tuple(seats))


def _of_who_left(season: Season) -> Iterator[str]:
    """A player who is out has no seat in a running game, and answered nothing in one that they had left."""
    out = season.entries.filter(state__in=(Registration.State.WITHDRAWN, Registration.State.EXPELLED))
    tables = LeagueTable.objects.filter(round__division__season=season).values("table")
    for entry in out.select_related("user"):
        if Seat.objects.filter(
            table__in=tables, user=entry.user_id, table__state=Table.State.PLAYING
        ).exists():
            yield f"{season}: {entry.user} still has a seat after they have left"
        for change in SeatChange.objects.filter(game__table__in=tables, before=entry.user_id):
            if _played_on(change):
                yield f"{season}: {entry.user} played on after they have left"


def _played_on(change: SeatChange) -> bool:
    """Return whether a person played for the seat before anyone had taken it over."""
    later = SeatChange.objects.filter(game=change.game_id, seat=change.seat, pk__gt=change.pk).first()
    answers = LogEntry.objects.filter(
        game=change.game_id, seat=change.seat, ply__gte=change.ply, via__in=OWN_WAYS
    )
    if later is not None:
        answers = answers.filter(ply__lt=later.ply)
    return change.after_id is None and answers.exists()


def _of_places_kept(league: League) -> Iterator[str]:
    """No one plays below the level kept for them while someone with a lesser claim plays above."""
    for season in league.seasons.filter(state__in=(Season.State.RUNNING, Season.State.CLOSED)):
        entries = season.entries.filter(division__isnull=False).select_related("user", "division")
        drawn = [(one, one.division.level) for one in entries if one.division and one.in_place_of_id is None]
        for entry, level in drawn:
            kept = entry.reserved
            if kept is not None and any(_claims_less(one, at, kept, level) for one, at in drawn):
                yield f"{entry.user} plays lower than the place that was kept for them"


def _claims_less(other: Registration, at: int, kept: int, level: int) -> bool:
    """Return whether the other plays above this level although less was kept for them."""
    return kept <= at < level and (other.reserved is None or other.reserved > kept)


def _of_helpers_ratings() -> Iterator[str]:
    """Check that taking over a seat lowered no one's rating."""
    helpers = set(OpenSeat.objects.filter(taken_by__isnull=False).values_list("table", "taken_by"))
    for edition in EDITIONS:
        before: dict[int, Rating] = {}
        for game in sorted(rated_games(edition), key=lambda game: (game.at, game.key)):
            after = before | rated_by(game, before)
            for player in after:
                if (game.key, player) in helpers and after[player].mu < before.get(player, Rating()).mu:
                    yield f"person {player} has a lower rating for having helped at table {game.key}"
            before = after


def _of_emails(delivered: Iterable[Delivered]) -> Iterator[str]:
    """Check that every email was sent once, by Message-ID, and by recipient and content."""
    delivered = list(delivered)
    for message_id, times in Counter(one.message_id for one in delivered).items():
        if times > 1:
            yield f"the email {message_id} was sent {times} times"
    leagues = [one for one in delivered if one.kind.startswith("league_")]
    for told, times in Counter((one.kind, one.to, one.about) for one in leagues).items():
        if times > TOLD_AGAIN.get(told[0], 1):
            yield f"{told[1]} was sent {told[0]} about {told[2]} {times} times"
