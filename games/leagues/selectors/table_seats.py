"""Seats of a league's table: before it begins, while it runs, and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.models import User
from accounts.names import alphabetical
from games.leagues.models import SeatAssignment
from games.leagues.scoring.scoring_methods import ScoringRules
from games.leagues.scoring.table_facts import Holder, SeatFacts, TableEnding, TableFacts
from games.leagues.scoring.table_points import LeagueScore, scores_of, shares_of
from games.leagues.selectors.exact_numbers import as_people_read
from games.leagues.selectors.points_in_words import place_beside, score_text, share_text
from games.leagues.selectors.scoring_rules import ordinal
from games.models import Seat
from games.narration.seat_names import bot_name


@dataclass(frozen=True)
class SeatHolder:
    """A holder of a seat, with their number of turns and an explanation of their points."""

    name: str
    person: User | None
    turns: int = 0
    why: str = ""


@dataclass(frozen=True)
class TableSeat:
    """A seat on a table's page; it has no number while seats are secret."""

    number: int | None
    name: str
    person: User | None  # None: it belongs to no one, as at a table for players who were away
    is_first: bool = False
    has_won: bool = False
    regions: int | None = None
    place: str = ""  # at the table, where `why` doesn't name it
    points: str = ""
    why: str = ""
    held: tuple[SeatHolder, ...] = ()  # if several held it, or not the seated player
    as_played: str = ""  # what an organiser corrected, as it was played


@dataclass(frozen=True)
class TablePeople:
    """Everyone who was seated at a table or held a seat there, and the first Condottiere's seat."""

    people: Mapping[int, User]
    names: Mapping[int, str]
    first: int | None


def seats_by_name(assignments: Iterable[SeatAssignment], roster: TablePeople) -> tuple[TableSeat, ...]:
    """Return the players sorted by name, without their seats."""
    rows = [TableSeat(None, roster.names[one.entry.user_id], one.entry.user) for one in assignments]
    return tuple(sorted(rows, key=lambda row: alphabetical(row.name)))


def seats_before(
    assignments: Iterable[SeatAssignment], seats: Iterable[Seat], roster: TablePeople
) -> tuple[TableSeat, ...]:
    """Return the seats of a running table in order: who was seated, and who plays there now if different."""
    seated = {one.position: one.entry.user for one in assignments}
    return tuple([_seat_before(seated.get(seat.number), seat, roster) for seat in seats])


def _seat_before(person: User | None, now: Seat, roster: TablePeople) -> TableSeat:
    holds = () if now.user_id == (person and person.pk) else (_current_holder(now, roster),)
    name = roster.names[person.pk] if person else bot_name(now.number)
    return TableSeat(now.number, name, person, roster.first == now.number, held=holds)


def _current_holder(seat: Seat, roster: TablePeople) -> SeatHolder:
    if seat.user is None:
        return SeatHolder(bot_name(seat.number), None)
    return SeatHolder(roster.names.get(seat.user.pk, seat.user.shown_name), seat.user)


def seats_after(facts: TableFacts, rules: ScoringRules, roster: TablePeople) -> tuple[TableSeat, ...]:
    """Return the seats of a finished table in order, with their points and holders."""
    scores = scores_of(facts, rules)
    return tuple(
        [_seat_after(at, facts, scores[at], roster, shares_of(seat, rules.split))
         for at, seat in enumerate(facts.seats)]
    )  # fmt: skip


def without_points(seats: Iterable[TableSeat], facts: TableFacts) -> tuple[TableSeat, ...]:
    """Return the seats of a finished final, which gives no points, with their places."""
    is_ranked = facts.how != TableEnding.ABANDONED
    return tuple(
        [
            replace(
                seat,
                points="",
                why=ordinal(one.place) if is_ranked else "",
                held=tuple([replace(holder, why="") for holder in seat.held]),
            )
            for seat, one in zip(seats, facts.seats, strict=True)
        ]
    )


def with_played(
    seats: Iterable[TableSeat], counted: TableFacts, played: TableFacts, rules: ScoringRules
) -> tuple[TableSeat, ...]:
    """Return the seats of a corrected table, each with what was played if that is another result."""
    scores, before = scores_of(counted, rules), scores_of(played, rules)
    return tuple(
        [
            replace(seat, as_played=_played_text(played.seats[at], before[at]))
            if _result(played.seats[at], before[at]) != _result(counted.seats[at], scores[at])
            else seat
            for at, seat in enumerate(seats)
        ]
    )


def _result(seat: SeatFacts, score: LeagueScore) -> tuple[int, int, bool, Fraction]:
    return seat.place, seat.regions, seat.won, score.points


def _played_text(seat: SeatFacts, score: LeagueScore) -> str:
    words = {"place": seat.place, "regions": seat.regions, "points": as_people_read(score.points)}
    # Translators: place is a place at a table, such as 2; points may be a decimal number, such as 5.5
    return _("As played: place %(place)d, regions %(regions)d, points %(points)s") % words


def _seat_after(
    at: int, facts: TableFacts, score: LeagueScore, roster: TablePeople, shares: Mapping[int | None, Fraction]
) -> TableSeat:
    seat = facts.seats[at]
    person = roster.people[seat.seated] if seat.seated else None
    has_changed = len({holder.player for holder in seat.holders}) > 1
    return TableSeat(
        number=at,
        name=roster.names[person.pk] if person else bot_name(at),
        person=person,
        is_first=roster.first == at,
        has_won=seat.won and facts.how != TableEnding.ABANDONED,
        regions=seat.regions,
        place=place_beside(score, seat),
        points=as_people_read(score.points),
        why=score_text(score),
        held=_seat_holders(seat, score, roster, shares) if has_changed else (),
    )


def _seat_holders(
    seat: SeatFacts, score: LeagueScore, roster: TablePeople, shares: Mapping[int | None, Fraction]
) -> tuple[SeatHolder, ...]:
    """Return each holder of a seat once, in order, with the total of their turns."""
    turns: dict[int | None, int] = {}
    for holder in seat.holders:
        turns[holder.player] = turns.get(holder.player, 0) + holder.turns
    return tuple([_make_holder(Holder(*one), score, roster, shares) for one in turns.items()])


def _make_holder(
    holder: Holder, score: LeagueScore, roster: TablePeople, shares: Mapping[int | None, Fraction]
) -> SeatHolder:
    why = share_text(score, shares.get(holder.player, Fraction(0)))
    if holder.player is None:
        return SeatHolder(pgettext("who plays a seat", "a bot"), None, holder.turns, why)
    return SeatHolder(roster.names[holder.player], roster.people[holder.player], holder.turns, why)
