"""Rounds and tables of a league with their seats."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from functools import cached_property

from django.db.models import Count, Prefetch, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.models import User
from accounts.names import alphabetical, first_in_sentence
from games.leagues.models import (
    Award,
    Bye,
    Division,
    LeagueTable,
    OpenSeat,
    Registration,
    Round,
    SeatAssignment,
)
from games.leagues.results import facts_of, scoring_rules_of
from games.leagues.scoring import (
    Holder,
    How,
    Score,
    ScoringRules,
    SeatFacts,
    TableFacts,
    scores_of,
    shares_of,
)
from games.leagues.selectors.standings import in_points, place_beside, score_text, share_text
from games.leagues.selectors.text import as_people_read, names_in
from games.models import Game, Seat, Table
from games.narration.cast import and_list
from games.narration.roster import bot_name


@dataclass(frozen=True)
class Held:
    """A holder of a seat, with their number of turns and an explanation of their points."""

    name: str
    person: User | None
    turns: int = 0
    why: str = ""


@dataclass(frozen=True)
class SeatRow:
    """A seat on a table's page; it has no number while seats are secret."""

    number: int | None
    name: str
    person: User
    is_first: bool = False
    has_won: bool = False
    regions: int | None = None
    place: str = ""  # at the table, where `why` doesn't name it
    points: str = ""
    why: str = ""
    held: tuple[Held, ...] = ()  # if several held it, or not the seated player


@dataclass(frozen=True)
class Company:
    """Everyone who was seated at a table or held a seat there, and the first Condottiere's seat."""

    people: Mapping[int, User]
    names: Mapping[int, str]
    first: int | None


def seats_by_name(assignments: Iterable[SeatAssignment], roster: Company) -> tuple[SeatRow, ...]:
    """Return the players sorted by name, without their seats."""
    rows = [SeatRow(None, roster.names[one.entry.user_id], one.entry.user) for one in assignments]
    return tuple(sorted(rows, key=lambda row: alphabetical(row.name)))


def seats_before(
    assignments: Iterable[SeatAssignment], seats: Iterable[Seat], roster: Company
) -> tuple[SeatRow, ...]:
    """Return the seats of a running table in order: who was seated, and who plays there now if different."""
    now = {seat.number: seat for seat in seats}
    return tuple([_before(one, now.get(one.position), roster) for one in assignments])


def _before(assignment: SeatAssignment, now: Seat | None, roster: Company) -> SeatRow:
    person = assignment.entry.user
    held = () if now is None or now.user_id == person.pk else (_sitter(now, roster),)
    name, is_first = roster.names[person.pk], roster.first == assignment.position
    return SeatRow(assignment.position, name, person, is_first, held=held)


def _sitter(seat: Seat, roster: Company) -> Held:
    if seat.user is None:
        return Held(bot_name(seat.number), None)
    return Held(roster.names.get(seat.user.pk, seat.user.shown_name), seat.user)


def seats_after(facts: TableFacts, rules: ScoringRules, roster: Company) -> tuple[SeatRow, ...]:
    """Return the seats of a finished table in order, with their points and holders."""
    scores = scores_of(facts, rules)
    return tuple(
        [_after(at, facts, scores[at], roster, shares_of(seat, rules.split))
         for at, seat in enumerate(facts.seats)]
    )  # fmt: skip


def _after(
    at: int, facts: TableFacts, score: Score, roster: Company, shares: Mapping[int | None, Fraction]
) -> SeatRow:
    seat = facts.seats[at]
    person = roster.people[seat.seated or 0]
    has_changed = len({holder.player for holder in seat.holders}) > 1
    return SeatRow(
        number=at,
        name=roster.names[person.pk],
        person=person,
        is_first=roster.first == at,
        has_won=seat.won and facts.how != How.ABANDONED,
        regions=seat.regions,
        place=place_beside(score, seat),
        points=as_people_read(score.points),
        why=score_text(score),
        held=_seat_holders(seat, score, roster, shares) if has_changed else (),
    )


def _seat_holders(
    seat: SeatFacts, score: Score, roster: Company, shares: Mapping[int | None, Fraction]
) -> tuple[Held, ...]:
    """Return each holder of a seat once, in order, with the total of their turns."""
    turns: dict[int | None, int] = {}
    for holder in seat.holders:
        turns[holder.player] = turns.get(holder.player, 0) + holder.turns
    return tuple([_holder(Holder(*one), score, roster, shares) for one in turns.items()])


def _holder(holder: Holder, score: Score, roster: Company, shares: Mapping[int | None, Fraction]) -> Held:
    why = share_text(score, shares.get(holder.player, Fraction(0)))
    if holder.player is None:
        return Held(pgettext("who plays a seat", "a bot"), None, holder.turns, why)
    return Held(roster.names[holder.player], roster.people[holder.player], holder.turns, why)


# Rounds and tables. Nothing here reveals the seats of an anonymous table before it is over.


@dataclass(frozen=True)
class TableView:
    """A table of a round as one reader sees it; the reader may be anonymous."""

    row: LeagueTable
    game: Game | None  # the latest game at the table
    reader: User | None
    people: Mapping[int, User]  # everyone who was seated or held a seat
    names: Mapping[int, str]  # by user primary key

    @property
    def number(self) -> int:
        return self.row.number

    @property
    def table(self) -> Table | None:
        """Return the games' table; None if it has not begun."""
        return self.row.table

    @property
    def is_veiled(self) -> bool:
        """Return whether the seats are still secret."""
        return self.table is not None and bool(self.table.anonymity)

    @cached_property
    def facts(self) -> TableFacts | None:
        """Return the facts of the result; None until it is counted."""
        return facts_of(self.row) if self.row.facts is not None and not self.is_veiled else None

    @cached_property
    def seats(self) -> tuple[SeatRow, ...]:
        """Return the seats in order, or sorted by name while they are secret."""
        roster = Company(self.people, self.names, self._first)
        facts, assignments = self.facts, self.row.assignments.all()
        if facts is not None:
            return seats_after(facts, scoring_rules_of(self.row.round.division.season), roster)
        if self.table is None or self.is_veiled:
            return seats_by_name(assignments, roster)
        return seats_before(assignments, self.table.all_seats(), roster)

    @property
    def roster(self) -> str:
        """Return the names of the players as a phrase."""
        return and_list([seat.name for seat in self.seats])

    @property
    def state(self) -> str:
        """Return the table's progress in sentences."""
        if self.facts is not None:
            return self.ending
        if self.table is None:
            return _("Not begun yet. It begins once all its players have room for another table.")
        if self.table.state == Table.State.FINISHED:
            return _("The game is over. The result is being counted.")
        return _("The game is in progress.")

    @property
    def until(self) -> datetime | None:
        """Return when a running table ends at the latest."""
        return self.row.ends_at if self.table and self.table.state == Table.State.PLAYING else None

    @property
    def ending(self) -> str:
        """Return how the table ended, in sentences; empty until the result is counted."""
        facts = self.facts
        if facts is None:
            return ""
        texts = {
            How.AGREEMENT: _("The players agreed to end the game."),
            How.ABANDONED: _("The table was abandoned: no player was left."),
            How.ADJUDICATED: _("The table was adjudicated because it was late."),
            How.AWARDED: _("An organiser awarded the points."),
        }.get(facts.how, "")
        if facts.how in (How.ABANDONED, How.AWARDED):
            return texts
        mine = self.reader.pk if self.reader else None
        winners = {seat.person.pk: seat.name for seat in self.seats if seat.has_won}
        won = _won([name for pk, name in winners.items() if pk != mine], with_reader=mine in winners)
        return f"{won} {texts}" if texts else won

    @property
    def is_mine(self) -> bool:
        """Return whether the reader has a seat now."""
        if self.reader is None or self.table is None:
            return False
        return any(seat.user_id == self.reader.pk for seat in self.table.all_seats())

    @property
    def game_path(self) -> str:
        """Return the path of the reader's own game or of the public view; empty if there is neither."""
        if self.is_mine and self.game is not None:
            return reverse("game", args=[self.game.pk])
        if self.table is not None and self.table.watch == Table.Watch.ANYONE:
            return reverse("watch", args=[self.table.watch_key])
        return ""

    @property
    def awards(self) -> Sequence[Award]:
        """Return the organisers' awards; the last one is in force."""
        return list(self.row.awards.all())

    @property
    def total(self) -> Fraction:
        """Return the total of points of all seats; 0 until the result is counted."""
        rules = scoring_rules_of(self.row.round.division.season)
        scores = scores_of(self.facts, rules) if self.facts else ()
        return sum([score.points for score in scores], Fraction(0))

    @property
    def total_text(self) -> str:
        """Return the total as a phrase."""
        return in_points(self.total)

    @property
    def sought(self) -> list[str]:
        """Return the names of the seats for which a substitute is sought.

        Empty at a running anonymous table, where the names would reveal seats.
        """
        if self.is_veiled:
            return []
        open_ones = [one for one in self.row.open_seats.all() if one.state == OpenSeat.State.OPEN]
        seats = {seat.number: seat.name for seat in self.seats}
        return [seats[one.seat] for one in open_ones if one.seat in seats]

    @property
    def _first(self) -> int | None:
        """Return the first Condottiere's seat in the first game."""
        games = _games(self.row)
        return games[0].first_condottiere if games else None


def _won(others: Sequence[str], *, with_reader: bool) -> str:
    """Return who won, as a sentence for the reader: the winners besides them, and whether they won."""
    if not others:
        return _("You won.") if with_reader else _("No one won.")
    if with_reader:
        # Translators: names is one player's name or a list of names, such as Anna and Bruno
        return _("You won, together with %(names)s.") % {"names": and_list(others)}
    # Translators: names is one player's name or a list of names, such as Anna and Bruno
    text = ngettext("%(names)s won.", "%(names)s won.", len(others))
    return text % {"names": first_in_sentence(and_list(others))}


@dataclass(frozen=True)
class RoundRow:
    """A round in its division's list."""

    round: Round
    tables: int
    over: int
    begun: int

    @property
    def is_drawn(self) -> bool:
        return self.round.draw is not None

    @property
    def is_over(self) -> bool:
        return self.is_drawn and self.over == self.tables

    @property
    def state(self) -> str:
        if self.is_over:
            return pgettext("round", "Finished")
        return pgettext("round", "In progress") if self.begun else pgettext("round", "Upcoming")


def rounds_of(division: Division) -> list[RoundRow]:
    """Return all rounds of the division, with their numbers of tables and of finished tables."""
    rounds = division.rounds.annotate(
        in_all=Count("tables"), over=Count("tables__collected_at"), begun=Count("tables__table")
    )
    return [RoundRow(one, one.in_all, one.over, one.begun) for one in rounds.order_by("number")]


@dataclass(frozen=True)
class RoundPage:
    """A round with its tables and the players who sit out."""

    tables: tuple[TableView, ...]
    byes: tuple[Registration, ...]


def round_page(round: Round, reader: User | None) -> RoundPage:  # noqa: A002 - what it is called everywhere
    """Return a round's page in a fixed number of queries."""
    tables = table_views(LeagueTable.objects.filter(round=round), reader)
    byes = Bye.objects.filter(round=round).select_related("entry__user")
    return RoundPage(tuple(tables), tuple([bye.entry for bye in byes]))


def table_views(rows: QuerySet[LeagueTable], reader: User | None) -> list[TableView]:
    """Return the tables as this reader sees them, in a fixed number of queries."""
    read = list(
        rows.select_related("round__division__season__league", "table")
        .prefetch_related(
            Prefetch("assignments", SeatAssignment.objects.select_related("entry__user")),
            Prefetch("table__seats", Seat.objects.select_related("user")),
            Prefetch("awards", Award.objects.select_related("by")),
            "table__games",
            "open_seats",
        )
        .order_by("number")
    )
    people = [
        {assignment.entry.user_id: assignment.entry.user for assignment in row.assignments.all()}
        for row in read
    ]
    helpers = _holders(read)
    leagues = {row.round.division.season.league_id for row in read}
    names = names_in(leagues, [*helpers.values(), *[one for seated in people for one in seated.values()]])
    return [
        _view(row, reader, seated | {pk: helpers[pk] for pk in _players_of(row) if pk in helpers}, names)
        for row, seated in zip(read, people, strict=True)
    ]


def roster_of(row: LeagueTable) -> str:
    """Return the names of the players seated at a table as a phrase."""
    return table_view(row).roster


def table_view(row: LeagueTable) -> TableView:
    """Return a table as an anonymous reader sees it."""
    (view,) = table_views(LeagueTable.objects.filter(pk=row.pk), None)
    return view


def points_text(view: TableView) -> str:
    """Return each player's points from a table as a phrase; empty until the result is counted."""
    return ", ".join([f"{seat.name} ({seat.points})" for seat in view.seats if seat.points])


def points_as_played(row: LeagueTable) -> list[Fraction]:
    """Return each seat's points without awards, in order; empty until the result is counted."""
    if row.facts is None:
        return []
    facts = replace(facts_of(row), how=How(row.facts["how"]), awarded=None)
    return [score.points for score in scores_of(facts, scoring_rules_of(row.round.division.season))]


def _view(
    row: LeagueTable, reader: User | None, people: Mapping[int, User], names: Mapping[int, str]
) -> TableView:
    games = _games(row)
    return TableView(row, games[-1] if games else None, reader, people, names)


def _games(row: LeagueTable) -> list[Game]:
    return sorted(row.table.games.all(), key=lambda game: game.number) if row.table else []


def place_of(row: LeagueTable) -> list[int]:
    """Return where a table is, for the path of its page: season, division, round and table."""
    division = row.round.division
    return [division.season.number, division.level, row.round.number, row.number]


def _players_of(row: LeagueTable) -> set[int]:
    seats = row.facts["seats"] if row.facts else []
    return {player for seat in seats for player, *_turns in seat["holders"] if player is not None}


def _holders(rows: Iterable[LeagueTable]) -> dict[int, User]:
    """Return everyone who held a seat at one of the finished tables, by primary key."""
    return {
        person.pk: person
        for person in User.objects.filter(pk__in={pk for row in rows for pk in _players_of(row)})
    }
