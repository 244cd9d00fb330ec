"""Which cards others are likely to hold: cheap ones are played first, so a hand that shrinks gets better."""

from collections.abc import Mapping, Sequence

from games.bots.regions import holding
from games.rules import CARDS, EDITIONS, Observation, Options

PARTS_OF_HAND = 4
ROWS = tuple([(edition, part) for edition in EDITIONS for part in range(PARTS_OF_HAND)])
CERTAIN = 1000  # the odds of the likeliest kind of card; those of all others are thousandths of them

Odds = Sequence[int]  # for each kind of card, how likely one that a seat can't see is in a hand
Likelihoods = Mapping[tuple[str, int], Odds]

EVEN: Likelihoods = dict.fromkeys(ROWS, (CERTAIN,) * len(CARDS))  # no hand is likelier than another


def row_of(seen: Observation, seat: int) -> tuple[str, int]:
    """Return the row that says what a seat may hold: its edition, and how many quarters have been played."""
    full = full_hand(seen.options, holding(seen, seat).bit_count())
    played = max(0, full - seen.hand_sizes[seat])
    return seen.options.edition, min(PARTS_OF_HAND - 1, PARTS_OF_HAND * played // full)


def full_hand(options: Options, regions: int) -> int:
    """Return how many cards a seat with so many regions is dealt in all (R19, R25, R46)."""
    return options.hand_size + options.cards_per_region * regions
