"""The learned weights of the bot, kept as whole thousandths in `weights.json`.

They come in parts: one for each number of seats, each option and the edition 1995. A game uses the sum of
those that concern it. So every set of options has its weights.
"""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from games.rules import SEATS, VARIANTS, Options

from . import battle_policy, position_value

PATH = Path(__file__).parent / "weights.json"
SIZES = {"policy": battle_policy.FEATURES, "value": position_value.FEATURES}
PARTS = (*[f"{players} seats" for players in SEATS], *VARIANTS, "1995")
_PRECISION = 1000

Parts = Mapping[str, list[float]]


class DamagedWeights(Exception):
    """The file of weights is missing, or is not what training writes."""


class Weights(NamedTuple):
    """The weights for one game's options and number of seats."""

    policy: list[float]
    value: list[float]


class LearnedWeights:
    """All weights, of both kinds, by part."""

    def __init__(self, parts: Mapping[str, Parts]) -> None:
        self.parts = parts
        self._totals: dict[tuple[Options, int], Weights] = {}

    def of(self, options: Options, players: int) -> Weights:
        """Return the weights of a game."""
        game = options, players
        if game not in self._totals:
            names = parts_of(options, players)
            self._totals[game] = Weights(*[total(self.parts[kind], names) for kind in SIZES])
        return self._totals[game]


def parts_of(options: Options, players: int) -> tuple[str, ...]:
    """Return the parts that concern a game."""
    return (f"{players} seats", *options.variants, *(("1995",) if options.is_1995 else ()))


def total(parts: Parts, names: tuple[str, ...]) -> list[float]:
    """Return the sum of these parts."""
    return [sum(column) for column in zip(*[parts[name] for name in names], strict=True)]


@lru_cache(maxsize=1)
def own_weights() -> LearnedWeights:
    """Return the weights that come with the bot. Raises DamagedWeights."""
    return read_weights(PATH)


def read_weights(path: Path) -> LearnedWeights:
    """Return what a file says. Raises DamagedWeights."""
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
        return LearnedWeights({kind: _checked(read[kind], size) for kind, size in SIZES.items()})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DamagedWeights(f"{path.name}: {error!r}") from error


def _checked(parts: Mapping[str, list[int]], size: int) -> Parts:
    """Return one kind of weights. Raises ValueError if a number is missing or too many."""
    for name in PARTS:
        if len(parts[name]) != size or not all(isinstance(weight, int) for weight in parts[name]):
            raise ValueError(f"{name!r} does not have {size} whole numbers")
    return {name: [weight / _PRECISION for weight in parts[name]] for name in PARTS}


def write_weights(path: Path, weights: Mapping[str, Parts]) -> None:
    """Write the weights, a line for each part."""
    kinds = []
    for kind in SIZES:
        lines = [f'    "{name}": {_thousandths(weights[kind][name])}' for name in PARTS]
        kinds.append(f'  "{kind}": {{\n' + ",\n".join(lines) + "\n  }")
    path.write_text("{\n" + ",\n".join(kinds) + "\n}\n", encoding="utf-8")


def _thousandths(weights: Sequence[float]) -> str:
    return json.dumps([round(weight * _PRECISION) for weight in weights], separators=(",", ":"))
