"""What the bot has learned, kept as whole thousandths in `weights.json`.

The weights of positions come in parts: one for each edition and number of seats, one for each option, and one
for each option and number of seats. A game uses the sum of those that concern it. So every set of options has
its weights. The likelihoods of hands depend on the edition alone.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from games.rules import CARDS, EDITIONS, SEATS, VARIANTS, Options

from .likely_hands import CERTAIN, ROWS, Likelihoods
from .position_value import FEATURES

PATH = Path(__file__).parent / "weights.json"
PARTS = (
    *[f"{edition}, {players} seats" for edition in EDITIONS for players in SEATS],
    *VARIANTS,
    *[f"{variant}, {players} seats" for variant in VARIANTS for players in SEATS],
)
_PRECISION = 1000

Parts = Mapping[str, list[float]]


class DamagedWeights(Exception):
    """The file of weights is missing, or is not what training writes."""


class LearnedWeights:
    """All weights of positions, by part, and what hands are likely."""

    def __init__(self, parts: Parts, hands: Likelihoods) -> None:
        self.parts, self.hands = parts, hands
        self._totals: dict[tuple[Options, int], list[float]] = {}

    def of(self, options: Options, players: int) -> list[float]:
        """Return the weights of a game."""
        game = options, players
        if game not in self._totals:
            some = [self.parts[name] for name in parts_of(options, players)]
            self._totals[game] = [sum(column) for column in zip(*some, strict=True)]
        return self._totals[game]


def parts_of(options: Options, players: int) -> tuple[str, ...]:
    """Return the parts that concern a game."""
    kinds = (options.edition, *options.variants)
    return (*[f"{kind}, {players} seats" for kind in kinds], *options.variants)


@lru_cache(maxsize=1)
def own_weights() -> LearnedWeights:
    """Return the weights that come with the bot. Raises DamagedWeights."""
    return read_weights(PATH)


def read_weights(path: Path) -> LearnedWeights:
    """Return what a file says. Raises DamagedWeights."""
    try:
        return _checked(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedWeights(f"{path.name}: {error!r}") from error


def _checked(found: Any) -> LearnedWeights:
    """Return what was learned. Raises ValueError if a number is missing, too many or too large."""
    for name in PARTS:
        _check(name, found[name], FEATURES)
    for row in ROWS:
        odds = found[_name_of(row)]
        _check(_name_of(row), odds, len(CARDS))
        if not all(0 < each <= CERTAIN for each in odds):
            raise ValueError(f"{_name_of(row)!r} has odds that aren't between 1 and {CERTAIN}")
    parts = {name: [weight / _PRECISION for weight in found[name]] for name in PARTS}
    return LearnedWeights(parts, {row: found[_name_of(row)] for row in ROWS})


def _check(name: str, row: Any, length: int) -> None:
    if len(row) != length or not all(isinstance(number, int) for number in row):
        raise ValueError(f"{name!r} does not have {length} whole numbers")


def _name_of(row: tuple[str, int]) -> str:
    """Return the name of a row of likelihoods in the file."""
    edition, quarters = row
    return f"{edition}, hands with {quarters} quarters played"


def write_weights(path: Path, learned: LearnedWeights) -> None:
    """Write what was learned, a line for each part and each row."""
    rows = {
        name: [round(weight * _PRECISION) for weight in weights] for name, weights in learned.parts.items()
    }
    rows |= {_name_of(row): list(odds) for row, odds in learned.hands.items()}
    lines = [f'  "{name}": {json.dumps(numbers, separators=(",", ":"))}' for name, numbers in rows.items()]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
