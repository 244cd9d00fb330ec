"""Who takes part in a simulated season, and what each of them is going to do. Draws lots from generators of
its own, and reads no row."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from games.bots import choose
from games.rules import Move, Observation

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FOREVER = timedelta(days=10_000)

# (what it is true of, how many of sixty players)
SHARES = {
    "come later than there are places": 6,
    "leave before the start": 1,
    "do not confirm": 4,
    "are slow": 5,
    "vanish for good": 3,
    "are ill for ten days": 2,
    "withdraw": 2,
    "take seats that others leave": 6,
    "do not play another season": 5,
}
HELPERS = 5  # of sixty, who do not play themselves
ACCEPTS, DECLINES = 0.5, 0.25  # a seat that is offered; else they say nothing
GIVES_UP = 0.8  # how often a player who does not lead leaves a battle at once: so games are short


@dataclass(frozen=True)
class Plan:
    """The plan of a simulated season: its size and its seed."""

    players: int = 60
    divisions: int = 3
    rounds: int = 2
    size: int = 4
    seed: int = 1


@dataclass
class Person:
    """A person and what they will do; moments count from the first round's planned beginning."""

    number: int
    rng: Random = field(repr=False, compare=False)
    plays: bool = True
    is_late: bool = False  # signs up when all places are taken
    leaves: bool = False  # before the start
    is_silent: bool = False  # when they are asked to confirm
    is_slow: bool = False
    gone: tuple[timedelta, timedelta] | None = None
    withdraws: timedelta | None = None
    helps: bool = False
    stays: bool = True  # for the next season
    boldness: float = 0.0  # the boldest at a table leads there

    @property
    def name(self) -> str:
        return f"{'Player' if self.plays else 'Helper'} {self.number}"

    @property
    def address(self) -> str:
        return f"player{self.number}@example.org"

    @property
    def vanishes(self) -> bool:
        """Return whether they never act again."""
        return self.gone is not None and self.gone[1] >= FOREVER

    def is_gone(self, since_begin: timedelta) -> bool:
        return self.gone is not None and self.gone[0] <= since_begin < self.gone[1]

    def comes_after(self) -> timedelta:
        """Return how long after an email they make a decision at a table."""
        return HOUR * (self.rng.uniform(14, 44) if self.is_slow else self.rng.uniform(0.5, 8))

    def says_after(self) -> timedelta:
        """Return how long after an email they answer their league."""
        return HOUR * self.rng.uniform(1, 40)

    def answers_ask_after(self) -> tuple[timedelta, bool] | None:
        """Return how long after an offer of a seat they answer, and whether they take it; None: no answer."""
        drawn = self.rng.random()
        if drawn > ACCEPTS + DECLINES:
            return None
        return HOUR * self.rng.uniform(1, 20), drawn < ACCEPTS

    def chooses(self, seen: Observation, *, leads: bool) -> Move:
        """Return their move for their seat's decision; the leader of a table plays to win."""
        passing = [move for move in seen.legal if str(move) == "pass"]
        if passing and not leads and self.rng.random() < GIVES_UP:
            return passing[0]
        return choose("captain", seen)


def drawn(plan: Plan) -> list[Person]:
    """Return all people: players first, in random order, then substitutes."""
    rng = Random(f"{plan.seed} people")
    late = _share("come later than there are places", plan)
    people = [_person(number, plan) for number in range(1, plan.players + late + 1)]
    helpers = [
        _person(number, plan) for number in range(len(people) + 1, len(people) + 1 + _many(HELPERS, plan))
    ]
    for person in people[plan.players :]:
        person.is_late = True
    _give_habits(people[: plan.players], plan, rng)
    for person in helpers:
        person.plays, person.helps = False, True
    return [*people, *helpers]


def _person(number: int, plan: Plan) -> Person:
    own = Random(f"{plan.seed} {number}")
    return Person(number, own, boldness=own.random())


def _share(what: str, plan: Plan) -> int:
    return _many(SHARES[what], plan)


def _many(of_sixty: int, plan: Plan) -> int:
    """Return the number, at least one however small the season."""
    return max(1, round(of_sixty * plan.players / 60))


def _give_habits(players: list[Person], plan: Plan, rng: Random) -> None:
    """Give no one two habits that keep them from playing, so that each habit shows."""
    left = rng.sample(players, len(players))

    def some(what: str) -> list[Person]:
        return [left.pop() for _ in range(min(_share(what, plan), max(len(left) - 1, 0)))]

    for person in some("leave before the start"):
        person.leaves = True
    for person in some("do not confirm"):
        person.is_silent = True
    for person in some("are slow"):
        person.is_slow = True
    for person in some("vanish for good"):
        person.gone = (DAY * rng.uniform(0.1, 2), FOREVER)
    for person in some("are ill for ten days"):
        fell_ill = DAY * rng.uniform(0.2, 2)
        person.gone = (fell_ill, fell_ill + 10 * DAY)
    for person in some("withdraw"):
        person.withdraws = DAY * rng.uniform(0.5, 4)
    for person in some("take seats that others leave"):
        person.helps = True
    for person in some("do not play another season"):
        person.stays = False


def moment(begins_at: datetime, span: timedelta) -> datetime:
    """Return a moment of a person's plans, to the second."""
    return (begins_at + span).replace(microsecond=0)
