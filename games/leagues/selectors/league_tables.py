"""Tables of a league as one reader sees them.

Nothing here reveals the seats of an anonymous table before it is over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cached_property

from django.db.models import Prefetch, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts.models import User
from accounts.names import first_in_sentence
from games.leagues.models import Award, LeagueTable, OpenSeat, SeatAssignment
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.results.stored_facts import facts_as_played, facts_of
from games.leagues.scoring.table_facts import TableEnding, TableFacts
from games.leagues.scoring.table_points import scores_of
from games.leagues.selectors.names_in_leagues import names_in
from games.leagues.selectors.points_in_words import in_points
from games.leagues.selectors.table_seats import (
    TablePeople,
    TableSeat,
    seats_after,
    seats_before,
    seats_by_name,
    with_played,
    without_points,
)
from games.models import Game, Seat, Table
from games.narration.cast import and_list
from games.narration.seat_names import bot_name


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

    @property
    def is_make_up(self) -> bool:
        """Return whether it began for players who missed theirs while away."""
        return bool(self.row.made_up_for.all())

    @cached_property
    def facts(self) -> TableFacts | None:
        """Return the facts of the result; None until it is counted."""
        return facts_of(self.row) if self.row.facts is not None and not self.is_veiled else None

    @cached_property
    def seats(self) -> tuple[TableSeat, ...]:
        """Return the seats in order, or sorted by name while they are secret."""
        roster = TablePeople(self.people, self.names, self._first_seat)
        facts, assignments = self.facts, self.row.assignments.all()
        if facts is not None:
            rules = scoring_rules_of(self.row.round.division.season)
            seats = seats_after(facts, rules, roster)
            if self.row.round.is_final:
                return without_points(seats, facts)
            return with_played(seats, facts, facts_as_played(self.row), rules) if self.awards else seats
        if self.table is None:  # they play without someone who left, unless their place is filled
            return seats_by_name([one for one in assignments if not one.entry.is_out], roster)
        if self.is_veiled:
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
            return _("Not begun yet. It begins once all its players are free.")
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
        how = facts_as_played(self.row).how
        texts = [self._ending_text(how), self._award_text()]
        if how != TableEnding.ABANDONED or self.is_corrected:
            texts.insert(0, _winners_text(*self._winners_of(facts)))
        return " ".join(filter(None, texts))

    def _ending_text(self, how: TableEnding) -> str:
        return {
            TableEnding.AGREEMENT: _("The players agreed to end the game."),
            TableEnding.ABANDONED: _("The table was abandoned: no player was left."),
            TableEnding.ADJUDICATED: _("The table was adjudicated because it was late."),
        }.get(how, "")

    def _award_text(self) -> str:
        if not self.awards:
            return ""
        if self.is_corrected:
            return _("An organiser corrected the result.")
        return _("An organiser awarded the points.")

    @property
    def is_corrected(self) -> bool:
        """Return whether an organiser corrected winner, regions and places."""
        return any(award.results is not None for award in self.awards[-1:])

    @property
    def ending_as_played(self) -> str:
        """Return who won as played, for a table with a corrected result."""
        return _played_winners_text(*self._winners_of(facts_as_played(self.row)))

    def _winners_of(self, facts: TableFacts) -> tuple[list[str], bool]:
        """Return the names of the winners besides the reader, and whether the reader won.

        As in the game, that is the person or bot who held the seat last.
        """
        won = [(seat, facts.seats[seat.number or 0]) for seat in self.seats]
        ended = [(seat, one.holders[-1].player) for seat, one in won if one.won]
        others = [(seat, last) for seat, last in ended if self.reader is None or last != self.reader.pk]
        return [self._winner_name(*one) for one in others], len(others) < len(ended)

    def _winner_name(self, seat: TableSeat, last: int | None) -> str:
        """Return who held the seat last; of a person also for whom."""
        seated = seat.person and seat.person.pk
        if last == seated:
            return seat.name
        name = self.names[last] if last else bot_name(seat.number or 0)
        if not (seated and last):
            return name
        if self.reader is not None and seated == self.reader.pk:
            # Translators: name is a substitute who took the reader's seat
            return _("%(name)s (for you)") % {"name": name}
        # Translators: name is a substitute who took the seat of a player
        return _("%(name)s (for %(player)s)") % {"name": name, "player": seat.name}

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
    def _first_seat(self) -> int | None:
        """Return the first Condottiere's seat in the first game."""
        games = _games(self.row)
        return games[0].first_condottiere if games else None


def _played_winners_text(others: Sequence[str], with_reader: bool) -> str:
    if not others:
        return _("As played, you won.") if with_reader else _("As played, no one won.")
    if with_reader:
        # Translators: names is one player's name or a list of names, such as Anna and Bruno
        return _("As played, you won, together with %(names)s.") % {"names": and_list(others)}
    # Translators: names is one player's name or a list of names, such as Anna and Bruno
    text = ngettext("As played, %(names)s won.", "As played, %(names)s won.", len(others))
    return text % {"names": and_list(others)}


def _winners_text(others: Sequence[str], with_reader: bool) -> str:
    """Return who won, as a sentence for the reader: the winners besides them, and whether they won."""
    if not others:
        return _("You won.") if with_reader else _("No one won.")
    if with_reader:
        # Translators: names is one player's name or a list of names, such as Anna and Bruno
        return _("You won, together with %(names)s.") % {"names": and_list(others)}
    # Translators: names is one player's name or a list of names, such as Anna and Bruno
    text = ngettext("%(names)s won.", "%(names)s won.", len(others))
    return text % {"names": first_in_sentence(and_list(others))}


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
            "made_up_for",
        )
        .order_by("number")
    )
    people = [
        {assignment.entry.user_id: assignment.entry.user for assignment in row.assignments.all()}
        for row in read
    ]
    helpers = _people_who_held(read)
    leagues = {row.round.division.season.league_id for row in read}
    names = names_in(leagues, [*helpers.values(), *[one for seated in people for one in seated.values()]])
    return [
        _make_view(row, reader, seated | {pk: helpers[pk] for pk in _players_of(row) if pk in helpers}, names)
        for row, seated in zip(read, people, strict=True)
    ]


def others_at(free: OpenSeat) -> str:
    """Return the names of the players besides a free seat as a phrase; all names while seats are secret."""
    view = table_view(free.table)
    return and_list([seat.name for seat in view.seats if view.is_veiled or seat.number != free.seat])


def table_view(row: LeagueTable) -> TableView:
    """Return a table as an anonymous reader sees it."""
    (view,) = table_views(LeagueTable.objects.filter(pk=row.pk), None)
    return view


def points_text(view: TableView) -> str:
    """Return each player's points from a table as a phrase; empty until the result is counted."""
    return ", ".join([f"{seat.name} ({seat.points})" for seat in view.seats if seat.points])


def _make_view(
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


def _people_who_held(rows: Iterable[LeagueTable]) -> dict[int, User]:
    """Return everyone who held a seat at one of the finished tables, by primary key."""
    return {
        person.pk: person
        for person in User.objects.filter(pk__in={pk for row in rows for pk in _players_of(row)})
    }
