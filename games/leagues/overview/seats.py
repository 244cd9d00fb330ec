"""The seats of a league's table as its page tells them: before it is over, after it, and where nobody may
know who sits in which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from accounts.models import User
from games.leagues.models import Chair
from games.leagues.overview.explaining import told_score, told_share
from games.leagues.overview.numbers import as_people_read
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
from games.models import Seat
from games.names import bot_name


@dataclass(frozen=True)
class Held:
    """Who held a seat, in how many turns, and what he earned there."""

    name: str
    person: User | None
    turns: int = 0
    why: str = ""


@dataclass(frozen=True)
class SeatRow:
    """A seat as a table's page shows it; without a number where nobody may know the seat yet."""

    number: int | None
    name: str
    person: User
    is_first: bool = False
    has_won: bool = False
    regions: int | None = None
    points: str = ""
    why: str = ""
    held: tuple[Held, ...] = ()  # by several, or by another than was seated


@dataclass(frozen=True)
class Company:
    """Everybody who was seated at a table or held a seat there, with what he is called, and the seat of the
    first Condottiere."""

    people: Mapping[int, User]
    names: Mapping[int, str]
    first: int | None


def seats_by_name(chairs: Iterable[Chair], company: Company) -> tuple[SeatRow, ...]:
    """Who plays, and nothing of who sits where."""
    rows = [SeatRow(None, company.names[one.entry.user_id], one.entry.user) for one in chairs]
    return tuple(sorted(rows, key=lambda row: row.name.casefold()))


def seats_before(chairs: Iterable[Chair], seats: Iterable[Seat], company: Company) -> tuple[SeatRow, ...]:
    """In their order, while it is played: who was seated, and who plays there now if another does."""
    now = {seat.number: seat for seat in seats}
    return tuple([_before(one, now.get(one.position), company) for one in chairs])


def _before(chair: Chair, now: Seat | None, company: Company) -> SeatRow:
    person = chair.entry.user
    held = () if now is None or now.user_id == person.pk else (_sitter(now, company),)
    name, is_first = company.names[person.pk], company.first == chair.position
    return SeatRow(chair.position, name, person, is_first, held=held)


def _sitter(seat: Seat, company: Company) -> Held:
    if seat.user is None:
        return Held(bot_name(seat.number), None)
    return Held(company.names.get(seat.user.pk, seat.user.shown_name), seat.user)


def seats_after(facts: TableFacts, rules: ScoringRules, company: Company) -> tuple[SeatRow, ...]:
    """In their order, when it is over: what each seat gave to whom."""
    scores = scores_of(facts, rules)
    return tuple(
        [_after(at, facts, scores[at], company, shares_of(seat, rules.split))
         for at, seat in enumerate(facts.seats)]
    )  # fmt: skip


def _after(
    at: int, facts: TableFacts, score: Score, company: Company, shares: Mapping[int | None, Fraction]
) -> SeatRow:
    seat = facts.seats[at]
    person = company.people[seat.seated or 0]
    has_changed = len({holder.player for holder in seat.holders}) > 1
    return SeatRow(
        number=at,
        name=company.names[person.pk],
        person=person,
        is_first=company.first == at,
        has_won=seat.won and facts.how != How.ABANDONED,
        regions=seat.regions,
        points=as_people_read(score.points),
        why=told_score(score),
        held=_holders(seat, score, company, shares) if has_changed else (),
    )


def _holders(
    seat: SeatFacts, score: Score, company: Company, shares: Mapping[int | None, Fraction]
) -> tuple[Held, ...]:
    """Each once, in their order, with all his turns."""
    turns: dict[int | None, int] = {}
    for holder in seat.holders:
        turns[holder.player] = turns.get(holder.player, 0) + holder.turns
    return tuple([_holder(Holder(*one), score, company, shares) for one in turns.items()])


def _holder(holder: Holder, score: Score, company: Company, shares: Mapping[int | None, Fraction]) -> Held:
    why = told_share(score, shares.get(holder.player, Fraction(0)))
    if holder.player is None:
        return Held(_("a bot"), None, holder.turns, why)
    return Held(company.names[holder.player], company.people[holder.player], holder.turns, why)
