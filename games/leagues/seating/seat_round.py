"""One round, seated by what was before it and by nothing that comes after."""

from collections.abc import Collection, Mapping
from fractions import Fraction

from . import places
from .byes import byes_of_round
from .chance import Lots
from .costs import round_costs
from .searching import cheapest
from .values import Past, Seated, require_seatable

MOST_LOOKS = 600_000
LOOKS_AT_EACH_PAIR = 1_000


def seat_round(
    players: Collection[int],
    size: int,
    past: Past,
    seed: bytes,
    *,
    scores: Mapping[int, Fraction] | None = None,
) -> Seated:
    """Everybody at a table of this size, or with a bye where numbers do not divide.

    With scores, tables gather those who stand together; without, opponents are balanced alone. How much each
    counts is said in `costs`. The order in which players are given does not matter. A season may use one
    seed for all its rounds: what was before is part of every lot. BadSeating where nobody can be seated.
    """
    require_seatable(players, size)
    lots = Lots(seed, f"round after {sum(past.meetings.values())} meetings")
    byes = byes_of_round(list(players), len(players) % size, past, lots, scores)
    drawn = lots.shuffled(sorted(set(players).difference(byes)))
    if scores is not None:
        drawn.sort(key=lambda player: scores.get(player, Fraction(0)), reverse=True)
    weights, least = round_costs(drawn, size, past, scores)
    tables = cheapest(weights, size, lots, looks=looks_for(len(drawn)), least=least)
    return Seated(places.one_round([[drawn[at] for at in table] for table in tables], past, lots), byes)


def looks_for(players: int) -> int:
    """How long to search for tables of so many: few players have been tried in every way soon."""
    return min(MOST_LOOKS, LOOKS_AT_EACH_PAIR * players * players)
