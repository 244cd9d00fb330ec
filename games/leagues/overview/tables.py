"""A round, and a table of it: who sits there, how it stands, how it ended. Who sits in which seat of an
anonymous table is told by nothing here before the table is over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from django.db.models import Prefetch
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.models import Award, Bye, Chair, Entry, LeagueTable, Round, Vacancy
from games.leagues.overview.explaining import in_points
from games.leagues.overview.names import names_in
from games.leagues.overview.seats import Company, SeatRow, seats_after, seats_before, seats_by_name
from games.leagues.reading import facts_of, rules_of
from games.leagues.scoring import How, TableFacts, scores_of
from games.models import Game, Seat, Table
from games.telling.narration import and_list


@dataclass(frozen=True)
class TableView:
    """A table of a round for one reader, who may be nobody."""

    row: LeagueTable
    game: Game | None  # the last that was played at it
    reader: User | None
    people: Mapping[int, User]  # everybody who was seated, or held a seat
    names: Mapping[int, str]  # what they are called

    @property
    def number(self) -> int:
        return self.row.number

    @property
    def table(self) -> Table:
        return self.row.table

    @property
    def is_veiled(self) -> bool:
        """Whether nobody may know yet who sits in which seat."""
        return bool(self.table.veil)

    @cached_property
    def facts(self) -> TableFacts | None:
        """What became of it; None while it is played, and until it is counted."""
        return facts_of(self.row) if self.row.facts is not None and not self.is_veiled else None

    @cached_property
    def seats(self) -> tuple[SeatRow, ...]:
        """In the order of seats; by name where nobody may know them."""
        company = Company(self.people, self.names, self._first)
        facts, chairs = self.facts, self.row.chairs.all()
        if facts is not None:
            return seats_after(facts, rules_of(self.row.round.division.season), company)
        if self.is_veiled:
            return seats_by_name(chairs, company)
        return seats_before(chairs, self.table.all_seats(), company)

    @property
    def company(self) -> str:
        """Who sits there, in a phrase."""
        return and_list([seat.name for seat in self.seats])

    @property
    def state(self) -> str:
        """How far it is."""
        if self.facts is not None:
            return self.ending
        if self.table.state == Table.State.FINISHED:
            return _("over; the result is being counted")
        return _("being played")

    @property
    def ending(self) -> str:
        """How it ended, as far as it has."""
        facts = self.facts
        if facts is None:
            return ""
        winners = and_list([seat.name for seat in self.seats if seat.has_won])
        told = {
            How.AGREEMENT: _("ended by common consent"),
            How.ABANDONED: _("abandoned: nobody was left who played"),
            How.ADJUDICATED: _("adjudicated when its time was out"),
            How.AWARDED: _("awarded by an organiser"),
        }.get(facts.how, "")
        if facts.how in (How.ABANDONED, How.AWARDED):
            return told
        won = _("%(names)s won") % {"names": winners} if winners else _("nobody won")
        return f"{won}; {told}" if told else won

    @property
    def is_mine(self) -> bool:
        """Whether the reader has a seat at it now."""
        return self.reader is not None and any(
            seat.user_id == self.reader.pk for seat in self.table.all_seats()
        )

    @property
    def game_path(self) -> str:
        """Where the reader finds the game: his own, or that which anybody may watch; empty for none."""
        if self.is_mine and self.game is not None:
            return reverse("game", args=[self.game.pk])
        if self.table.watch == Table.Watch.ANYONE:
            return reverse("watch", args=[self.table.watch_key])
        return ""

    @property
    def awards(self) -> Sequence[Award]:
        """The last one counts."""
        return list(self.row.awards.all())

    @property
    def total(self) -> Fraction:
        """What all its seats give together; nothing before it is counted."""
        rules = rules_of(self.row.round.division.season)
        scores = scores_of(self.facts, rules) if self.facts else ()
        return sum([score.points for score in scores], Fraction(0))

    @property
    def total_told(self) -> str:
        """The same, as a sentence says it."""
        return in_points(self.total)

    @property
    def sought(self) -> list[str]:
        """Whose seat somebody is sought for; never told of an anonymous table, where it would tell a seat."""
        if self.is_veiled:
            return []
        open_ones = [one for one in self.row.vacancies.all() if one.state == Vacancy.State.OPEN]
        seats = {seat.number: seat.name for seat in self.seats}
        return [seats[one.seat] for one in open_ones if one.seat in seats]

    @property
    def _first(self) -> int | None:
        """The seat of the first Condottiere of the first game."""
        games = sorted(self.table.games.all(), key=lambda game: game.number)
        return games[0].first_condottiere if games else None


@dataclass(frozen=True)
class RoundPage:
    """A round with its tables, and who sits it out."""

    tables: tuple[TableView, ...]
    byes: tuple[Entry, ...]


def round_page(round: Round, reader: User | None) -> RoundPage:  # noqa: A002 - what it is called everywhere
    """In a fixed number of queries."""
    tables = table_views(LeagueTable.objects.filter(round=round), reader)
    byes = Bye.objects.filter(round=round).select_related("entry__user")
    return RoundPage(tuple(tables), tuple([bye.entry for bye in byes]))


def table_views(rows: Iterable[LeagueTable], reader: User | None) -> list[TableView]:
    """These tables for this reader. In a fixed number of queries."""
    read = list(
        rows.select_related("round__division__season__league", "table")  # type: ignore[attr-defined]
        .prefetch_related(
            Prefetch("chairs", Chair.objects.select_related("entry__user")),
            Prefetch("table__seats", Seat.objects.select_related("user")),
            Prefetch("awards", Award.objects.select_related("by")),
            "table__games",
            "vacancies",
        )
        .order_by("number")
    )
    people = [{chair.entry.user_id: chair.entry.user for chair in row.chairs.all()} for row in read]
    helpers = _holders(read)
    leagues = {row.round.division.season.league_id for row in read}
    names = names_in(leagues, [*helpers.values(), *[one for seated in people for one in seated.values()]])
    return [
        _view(row, reader, seated | {pk: helpers[pk] for pk in _players_of(row) if pk in helpers}, names)
        for row, seated in zip(read, people, strict=True)
    ]


def company_of(row: LeagueTable) -> str:
    """Who was seated at a table, in a phrase."""
    return table_view(row).company


def table_view(row: LeagueTable) -> TableView:
    """A table for no reader in particular."""
    (view,) = table_views(LeagueTable.objects.filter(pk=row.pk), None)
    return view


def points_told(view: TableView) -> str:
    """What a table has brought to whom, in a phrase; empty before it is counted."""
    return ", ".join([f"{seat.name} ({seat.points})" for seat in view.seats if seat.points])


def points_as_played(row: LeagueTable) -> list[Fraction]:
    """What each seat gives without awards, in their order; empty before the table is counted."""
    if row.facts is None:
        return []
    facts = replace(facts_of(row), how=How(row.facts["how"]), awarded=None)
    return [score.points for score in scores_of(facts, rules_of(row.round.division.season))]


def _view(
    row: LeagueTable, reader: User | None, people: Mapping[int, User], names: Mapping[int, str]
) -> TableView:
    games = sorted(row.table.games.all(), key=lambda game: game.number)
    return TableView(row, games[-1] if games else None, reader, people, names)


def _players_of(row: LeagueTable) -> set[int]:
    seats = row.facts["seats"] if row.facts else []
    return {player for seat in seats for player, _turns in seat["holders"] if player is not None}


def _holders(rows: Iterable[LeagueTable]) -> dict[int, User]:
    """Everybody who held a seat at one of these tables that are over."""
    return {
        person.pk: person
        for person in User.objects.filter(pk__in={pk for row in rows for pk in _players_of(row)})
    }
