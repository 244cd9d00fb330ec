"""The plan of a simulated season, and what each of its people does in the league. At their tables they are as
in games/people.py."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from random import Random

from games.presenters.time_settings import EXPECTED_DAYS
from tests.simulation.games.people import DAY, USUAL, Levers
from tests.simulation.games.world import Plan as GamesPlan

# (what it is true of, how many of sixty players; at least one, however small the season)
SHARES = {
    "come when there are no places left, and wait": 6,
    "leave before the start": 2,
    "do not confirm": 2,
    "withdraw while their first tables are played": 4,
    "take seats that others leave": 10,
    "do not play, and take seats that others leave": 8,
}
ACCEPTS, DECLINES = 0.6, 0.25  # a seat that is offered; else they say nothing


@dataclass(frozen=True)
class Plan:
    """The plan of a simulated season: its size, its rules and its seed."""

    players: int = 23
    size: int = 4
    tables: int = 4  # of each player
    at_once: int = 2
    divisions: int = 1
    pace: str = "day"
    seed: int = 1
    format: str = "balanced"
    scoring: str = "placement"
    split: str = "share"
    bye: str = "average"
    late: str = "regions"
    days: int = 0  # of a table; 0: those in which 9 of 10 games end
    levers: Levers = USUAL

    @property
    def games(self) -> GamesPlan:
        return GamesPlan(self.size, self.pace, self.seed, looked_into=0, levers=self.levers)

    def __str__(self) -> str:
        divisions = f" in {self.divisions} divisions" if self.divisions > 1 else ""
        return (
            f"{self.players} players{divisions}, tables of about {self.size}, {self.tables} for each player, "
            f"{self.at_once} at once; pace {self.pace}; {self.format}, {self.scoring}, {self.split}, "
            f"bye {self.bye}, late {self.late}; seed {self.seed}"
        )


_QUICK = Plan(pace="hours", tables=2)
# Together they use every format, scoring, split, bye and late rule; three have tables with too few days.
OF_EVERY_RULE = (
    replace(_QUICK, players=7, days=8),
    replace(_QUICK, players=5, size=2, format="swiss", scoring="points", split="starter", bye="nothing"),
    replace(
        _QUICK, players=5, size=2, tables=5, format="all", scoring="wins", split="finisher", late="nobody"
    ),
    replace(_QUICK, players=8, divisions=2, at_once=1, late="organiser", days=3),
    replace(_QUICK, players=11, size=4, tables=3, format="swiss", late="nobody", days=5),
)


@dataclass(frozen=True)
class Role:
    """What someone does in the league."""

    plays: bool = True
    is_late: bool = False  # signs up when all places are taken
    leaves: bool = False  # before the start
    is_silent: bool = False  # when they are asked to confirm
    withdraws: timedelta | None = None  # after the start
    helps: bool = False


def roles(plan: Plan) -> list[Role]:
    """Return everyone's role: players in random order, those who wait, substitutes."""
    rng = Random(f"{plan.seed} roles")
    leaving, silent, withdrawing, helping = (
        [role] * _many(what, plan)
        for role, what in (
            (Role(leaves=True), "leave before the start"),
            (Role(is_silent=True), "do not confirm"),
            (Role(), "withdraw while their first tables are played"),
            (Role(helps=True), "take seats that others leave"),
        )
    )
    share = EXPECTED_DAYS[plan.pace][4][1] / EXPECTED_DAYS["day"][4][1] * DAY  # short at a quick pace
    out = [replace(role, withdraws=share * rng.uniform(2, 42)) for role in withdrawing]
    players = [*leaving, *silent, *out, *helping, *[Role()] * plan.players][: plan.players]
    rng.shuffle(players)
    waiting = [Role(is_late=True)] * (_many("come when there are no places left, and wait", plan) + 2)
    helpers = [Role(plays=False, helps=True)] * _many("do not play, and take seats that others leave", plan)
    return [*players, *waiting, *helpers]


def _many(what: str, plan: Plan) -> int:
    return max(1, round(SHARES[what] * plan.players / 60))


def assumptions() -> Iterator[str]:
    """Yield what is assumed of people in the league, a sentence each."""
    yield from (f"{share} of 60: {what}" for what, share in SHARES.items())
    yield f"{ACCEPTS:.0%} accept a seat that is offered, {DECLINES:.0%} decline, the others say nothing"
    yield "each day the organiser expels who has been away for ten days, and decides about late tables"
