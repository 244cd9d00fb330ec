"""Models of simulated people: how fast they answer, when they sleep, when they are away, what they choose.

Draws lots from the generator it is given and reads no row; what people do with the site is world.py's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from math import exp, log
from random import Random
from typing import NamedTuple
from zoneinfo import ZoneInfo

from accounts.working_hours import Hours, open_spans
from games.bots import choose
from games.bots.ordering import aside_from, fight_after, hold_after
from games.orders import Order
from games.rules import Move, Observation, State, apply

HOUR, DAY = timedelta(hours=1), timedelta(days=1)

ZONES = (
    "Europe/Rome",
    "Europe/London",
    "Europe/Warsaw",
    "America/New_York",
    "America/Los_Angeles",
    "America/Sao_Paulo",
    "Asia/Kolkata",
    "Asia/Tokyo",
    "Australia/Sydney",
)


@dataclass(frozen=True)
class Kind:
    """How fast someone answers an email: log-normal, in hours awake."""

    name: str
    share: float
    median: float  # hours
    spread: float  # of the logarithm
    looks: float  # how likely they look at the site on a day without being written to


KINDS = (
    Kind("quick", 0.35, 0.4, 1.0, 0.6),
    Kind("steady", 0.45, 2.0, 1.1, 0.3),
    Kind("slow", 0.20, 7.0, 0.9, 0.1),
)
# People at slow tables are in less of a hurry.
HASTE = {"hours": 0.4, "day": 1.0, "days": 1.6, "week": 3.0, "none": 1.0}
LOOKS_WITHOUT_MAIL = 0.9
AFTER_A_REMINDER = 0.4  # of the usual time
BY_REPLY = 0.6  # of the usual time: it needs no page, so it can be done where the email is read
AT_THE_HOUR = 80  # of a hundred agreed hours, how many a player who is awake and present comes to

# (what it is called, how many of a hundred people it is true of)
SHARES = {
    "lives in any of the zones": 40,
    "sleeps while the clock runs, because they set no quiet hours": 30,
    "does not play at weekends": 25,
    "does not play at weekends and has not said so": 5,
    "takes holidays and announces them": 30,
    "takes holidays and does not announce them": 5,
    "vanishes and comes back": 6,
    "vanishes for good": 4,
    "is a host who pauses a game": 10,
    "is a host who gives more time": 10,
    "has an address that refuses mail": 2,
    "has an address from which mail comes back": 2,
    "has a mail scanner that opens every link": 1,
}
FREQUENCIES = {"at once": 75, "batched": 15, "digest": 10}
EVERY_MOVE = 5  # of a hundred
BATCHES = (15, 60, 180)
REMINDERS = ((24, 6), (24,), (12, 3), (6,), (48, 24, 6), (6, 1))
RANDOM = "random"
STRATEGIES = {"captain": 60, "recruit": 25, RANDOM: 15}


@dataclass
class Person:
    """One simulated person. `awake` are the hours in which they may act."""

    number: int
    name: str
    kind: Kind
    awake: Hours
    quiet: tuple[time, time] | None  # as they told the site
    days_off: tuple[int, ...]
    holidays: tuple[tuple[datetime, date, date], ...]  # announced when, the first and the last day
    gone: tuple[datetime, datetime] | None  # no answer from, until
    comes_back: bool
    strategy: str
    frequency: str
    batch_minutes: int
    digest_at: time
    every_move: bool
    reminders: tuple[int, ...]
    refuses: bool  # their mail server answers 550
    bounces: bool  # their mail server takes emails and sends them back
    scans: bool
    haste: float
    rng: Random = field(repr=False)
    uses_orders: bool = False
    holds: bool = False  # with a card that takes the lead, where they don't fight on
    replies: bool = False  # to emails about turns, instead of opening a page
    at_once_when_alone: bool = True  # emails, when a game waits for them alone

    @property
    def zone(self) -> ZoneInfo:
        return self.awake.zone

    @property
    def takes_mail(self) -> bool:
        return not (self.refuses or self.bounces)

    @property
    def address(self) -> str:
        return f"player{self.number}@example.org"

    def is_gone(self, moment: datetime) -> bool:
        return self.gone is not None and self.gone[0] <= moment < self.gone[1]

    def answers_at(self, told: datetime, *, reminded: bool = False) -> datetime:
        """Return when they act on an email of this moment: after some hours awake."""
        hours = exp(log(self.kind.median * self.haste) + self.rng.gauss(0, self.kind.spread))
        share = (AFTER_A_REMINDER if reminded else 1) * (BY_REPLY if self.replies else 1)
        wait = timedelta(hours=hours * share)
        return self.next_awake(told + wait)

    def is_awake(self, moment: datetime) -> bool:
        return next(iter(open_spans(self.awake, moment)))[0] <= moment

    def looks_again_at(self, moment: datetime) -> datetime:
        """Return when they next look at the site without an email."""
        days = 1
        likely = self.kind.looks if self.takes_mail else LOOKS_WITHOUT_MAIL
        while self.rng.random() > likely and days < 7:
            days += 1
        return self.next_awake(moment + days * DAY + timedelta(hours=self.rng.uniform(-3, 3)))

    def next_awake(self, moment: datetime) -> datetime:
        """Return this moment if they are awake and present, else one soon after they are."""
        opens, closes = next(iter(open_spans(self.awake, moment)))
        if opens <= moment:
            return _second(moment)
        soon = min(timedelta(hours=self.rng.expovariate(1.5)), (closes - opens) / 2)
        return _second(opens + soon)

    def chooses(self, seen: Observation) -> Move:
        """Return their move for their seat's decision."""
        if self.strategy == RANDOM:
            return self.rng.choice(sorted(seen.legal, key=str))
        return choose(self.strategy, seen)

    def orders_after(self, move: Move, state: State, seat: int) -> Order | None:
        """Return the standing order they give together with this move."""
        if not self.uses_orders and not self.holds:
            return None
        after, _events = apply(state, seat, move)
        fight = fight_after(self.strategy, move, after, seat) if self.uses_orders else None
        return fight or (hold_after(move, after, seat) if self.holds else None)

    def orders_ahead(self, state: State, seat: int) -> Order | None:
        """Return the standing order they give in a running battle when they look while others are asked."""
        return aside_from(self.strategy, state, seat) if self.uses_orders else None


@dataclass(frozen=True)
class Levers:
    """What shortens games: how many of a hundred people do it, and how all play who don't at random."""

    orders: int = 50  # fight on and stand aside, of those who do not play at random
    alone: int = 100  # are emailed at once when a game waits for them alone
    captains: bool = False  # all who do not play at random are captains
    replies: int = 0  # answer emails by replying
    hours: int = 0  # of a hundred tables, agree on an hour each week
    holds: int = 50  # with a card that leads where they don't fight on, of those who don't play at random

    def pulled(self, person: Person, rng: Random) -> Person:
        """Return the same person with these habits; the same lot makes them the same for any share."""
        gives_orders, is_told = rng.random() * 100 < self.orders, rng.random() * 100 < self.alone
        replies, holds = rng.random() * 100 < self.replies, rng.random() * 100 < self.holds
        is_random = person.strategy == RANDOM
        return replace(
            person,
            strategy="captain" if self.captains and not is_random else person.strategy,
            uses_orders=gives_orders and not is_random,
            at_once_when_alone=is_told,
            replies=replies,
            holds=holds and not is_random,
        )


USUAL = Levers()


def drawn(number: int, start: datetime, pace: str, home: str, rng: Random) -> Person:
    """A person whose habits are drawn by lot; `start` is when the simulated world begins, `home` the zone in
    which most of their club live."""
    kind = rng.choices(KINDS, [kind.share for kind in KINDS])[0]
    zone = ZoneInfo(rng.choice(ZONES) if _is("lives in any of the zones", rng) else home)
    sleep = (
        time(rng.choice((22, 23, 0)), rng.choice((0, 30))),
        time(rng.choice((6, 7, 8)), rng.choice((0, 30))),
    )
    silent_weekends = _is("does not play at weekends and has not said so", rng)
    weekends = (5, 6) if _is("does not play at weekends", rng) else ()
    announced = _holidays(start, rng) if _is("takes holidays and announces them", rng) else ()
    unannounced = _holidays(start, rng) if _is("takes holidays and does not announce them", rng) else ()
    away = tuple((first, last) for _, first, last in (*announced, *unannounced))
    gone, comes_back = _absence(start, rng)
    frequency = rng.choices(list(FREQUENCIES), list(FREQUENCIES.values()))[0]
    return Person(
        number=number,
        name=f"Player {number}",
        kind=kind,
        awake=Hours(zone, sleep, frozenset((5, 6) if silent_weekends or weekends else ()), away),
        quiet=None if _is("sleeps while the clock runs, because they set no quiet hours", rng) else sleep,
        days_off=weekends,
        holidays=announced,
        gone=gone,
        comes_back=comes_back,
        strategy=rng.choices(list(STRATEGIES), list(STRATEGIES.values()))[0],
        frequency=frequency,
        batch_minutes=rng.choice(BATCHES),
        digest_at=time(rng.choice((7, 8, 12, 18, 20))),
        every_move=rng.random() * 100 < EVERY_MOVE,
        reminders=rng.choice(REMINDERS),
        refuses=_is("has an address that refuses mail", rng),
        bounces=_is("has an address from which mail comes back", rng),
        scans=_is("has a mail scanner that opens every link", rng),
        haste=HASTE[pace],
        rng=rng,
    )


def _is(what: str, rng: Random) -> bool:
    return rng.random() * 100 < SHARES[what]


def _holidays(start: datetime, rng: Random) -> tuple[tuple[datetime, date, date], ...]:
    """Every two months one of some days to two weeks, announced three to thirty days ahead."""
    return tuple(_holiday(start + number * 60 * DAY, rng) for number in range(4))


def _holiday(start: datetime, rng: Random) -> tuple[datetime, date, date]:
    first = start + timedelta(days=rng.uniform(5, 45))
    announced = _second(max(start + HOUR, first - timedelta(days=rng.uniform(3, 30))))
    return announced, first.date(), (first + timedelta(days=rng.randint(2, 13))).date()


def _absence(start: datetime, rng: Random) -> tuple[tuple[datetime, datetime] | None, bool]:
    """The span in which nothing is heard of them, and whether they come back after it."""
    vanishes = _second(start + timedelta(days=rng.uniform(3, 25)))
    if _is("vanishes for good", rng):
        return (vanishes, datetime.max.replace(tzinfo=UTC)), False
    if _is("vanishes and comes back", rng):
        return (vanishes, _second(vanishes + timedelta(days=rng.uniform(4, 20)))), True
    return None, False


class HostAction(NamedTuple):
    """What a host does to the clocks of their game."""

    at: datetime
    what: str
    amount: int = 0  # days of a pause, hours of more time


def actions_of_host(start: datetime, rng: Random) -> Iterator[HostAction]:
    """Some hosts pause a game for some days, of which half go on before; some give more time."""
    if _is("is a host who pauses a game", rng):
        at, days = _second(start + timedelta(days=rng.uniform(2, 25))), rng.randint(2, 7)
        yield HostAction(at, "pause", days)
        if rng.random() < 0.5:
            yield HostAction(at + timedelta(days=rng.uniform(0.5, days)), "go on")
    if _is("is a host who gives more time", rng):
        yield HostAction(_second(start + timedelta(days=rng.uniform(2, 25))), "more time", rng.randint(6, 48))


def _second(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def assumptions(pace: str, levers: Levers) -> Sequence[str]:
    """What is assumed of people, a sentence each."""
    kinds = "; ".join(
        f"{kind.share:.0%} {kind.name}: median {kind.median * HASTE[pace]:.1f} h, spread {kind.spread}"
        for kind in KINDS
    )
    shares = [f"{share} of 100: {what}" for what, share in SHARES.items()]
    captains = ", all of them as captains" if levers.captains else ""
    return (
        f"answers come after an email in log-normal time ({kinds}), then in waking hours only",
        f"after a reminder in {AFTER_A_REMINDER:.0%} of that time; most live in one zone",
        *shares,
        "emails: "
        + ", ".join(f"{share} of 100 {frequency}" for frequency, share in FREQUENCIES.items())
        + f", {EVERY_MOVE} of 100 of every move; reminders at {len(REMINDERS)} kinds of leads",
        "play: " + ", ".join(f"{share} of 100 {strategy}" for strategy, share in STRATEGIES.items()),
        f"{levers.orders} of 100 who do not play at random{captains} fight on and stand aside",
        f"{levers.holds} of 100 who do not play at random{captains} hold with a card that leads",
        f"{levers.alone} of 100 are emailed at once when a game waits for them alone",
        f"{levers.replies} of 100 answer emails by replying, in {BY_REPLY:.0%} of their usual time",
        f"{levers.hours} of 100 tables agree on an hour a week; {AT_THE_HOUR} of 100 who are awake come",
    )
