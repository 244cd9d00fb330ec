"""How even a season's seating came out, in a few numbers that a page can show."""

from collections.abc import Iterable
from dataclasses import dataclass

from .values import Seated, past_of


@dataclass(frozen=True, slots=True)
class Balance:
    """Of all pairs of players so many have met; `repeats` counts every meeting of two after their first.

    The rest is the least and the most that any one player had: of firsts, of any one seat, of byes.
    """

    pairs: int
    met: int
    repeats: int
    most_meetings: int
    firsts: tuple[int, int]
    places: tuple[int, int]
    byes: tuple[int, int]


def balance_of(rounds: Iterable[Seated]) -> Balance:
    """The balance of these rounds, over everybody who is in one of them."""
    rounds = tuple(rounds)
    past = past_of(rounds)
    players = sorted({player for seated in rounds for player in seated.players})
    seats = {place for held in past.places.values() for place in held}
    return Balance(
        pairs=len(players) * (len(players) - 1) // 2,
        met=len(past.meetings),
        repeats=sum(past.meetings.values()) - len(past.meetings),
        most_meetings=max(past.meetings.values(), default=0),
        firsts=_least_and_most(past.was_first(player) for player in players),
        places=_least_and_most(past.sat_at(player, seat) for player in players for seat in seats),
        byes=_least_and_most(past.had_byes(player) for player in players),
    )


def _least_and_most(counts: Iterable[int]) -> tuple[int, int]:
    counts = tuple(counts)
    return min(counts, default=0), max(counts, default=0)
