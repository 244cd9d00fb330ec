"""How long games last for each time per move and number of seats: the table that forms for tables show.

Measured lengths are smoothed: a slower pace multiplies every table's length by about the same, and so does
one more seat. What is left of chance must not make a slower pace or a larger table look shorter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, log
from statistics import fmean

from games.clocks.policy import PACES
from games.models import MAX_SEATS, MIN_SEATS
from tests.simulation.games.quick import simulated
from tests.simulation.games.report import percentile
from tests.simulation.games.world import Plan

Lengths = Mapping[tuple[str, int], Sequence[float]]  # in days, by pace and seats
Days = dict[str, dict[int, float]]  # by pace and seats
SEATS = range(MIN_SEATS, MAX_SEATS + 1)
NINETY = 0.9


def measured(games: int, seed: int, processes: int) -> Iterator[tuple[tuple[str, int], list[float]]]:
    """Yield the lengths of this many games for each pace and number of seats."""
    for pace in PACES:
        for seats in SEATS:
            plan = Plan(seats, pace, seed)
            yield (pace, seats), simulated(plan, games, processes).lengths


def smoothed(lengths: Lengths, share: float) -> Days:
    """Return the days that this share of games does not exceed, rising with the pace and with the seats."""
    logs = {cell: log(percentile(found, share)) for cell, found in lengths.items()}
    middle = fmean(logs.values())
    by_pace = {pace: fmean(value for (of, _), value in logs.items() if of == pace) for pace in PACES}
    by_seats = {seats: fmean(value for (_, of), value in logs.items() if of == seats) for seats in SEATS}
    paces = dict(zip(PACES, _rising(list(by_pace.values())), strict=True))
    sizes = dict(zip(SEATS, _rising(list(by_seats.values())), strict=True))
    return {pace: {seats: exp(paces[pace] + sizes[seats] - middle) for seats in SEATS} for pace in PACES}


def _rising(values: Sequence[float]) -> list[float]:
    """Return the values, each halfway between the highest up to it and the lowest from it on."""
    return [(max(values[: at + 1]) + min(values[at:])) / 2 for at in range(len(values))]


def table(lengths: Lengths) -> Iterator[str]:
    """Yield the table as lines of Python: the median and the 90th percentile."""
    medians, nineties = smoothed(lengths, 0.5), smoothed(lengths, NINETY)
    for pace in PACES:
        cells = (f"{seats}: ({medians[pace][seats]:.0f}, {nineties[pace][seats]:.0f})" for seats in SEATS)
        yield f'    "{pace}": {{{", ".join(cells)}}},'
