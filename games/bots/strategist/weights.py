"""The learned weights of the bot, kept as whole thousandths in `weights.json`.

They come in parts: one for each edition and number of seats, one for each option, and one for each option and
number of seats. A game uses the sum of those that concern it. So every set of options has its weights.
"""

import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from games.rules import EDITIONS, SEATS, VARIANTS, Options

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
    """All weights, by part."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
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
        return LearnedWeights(_checked(json.loads(path.read_text(encoding="utf-8"))))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedWeights(f"{path.name}: {error!r}") from error


def _checked(parts: Mapping[str, list[int]]) -> Parts:
    """Return the weights. Raises ValueError if a number is missing or too many."""
    for name in PARTS:
        if len(parts[name]) != FEATURES or not all(isinstance(weight, int) for weight in parts[name]):
            raise ValueError(f"{name!r} does not have {FEATURES} whole numbers")
    return {name: [weight / _PRECISION for weight in parts[name]] for name in PARTS}


def write_weights(path: Path, parts: Parts) -> None:
    """Write the weights, a line for each part."""
    lines = []
    for name in PARTS:
        weights = [round(weight * _PRECISION) for weight in parts[name]]
        lines.append(f'  "{name}": {json.dumps(weights, separators=(",", ":"))}')
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
