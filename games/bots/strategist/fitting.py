"""Fits weights to lessons: a conditional logit, by gradient descent in steps of small batches.

Part of training, not of choosing moves.
"""

from collections.abc import Mapping, Sequence
from math import log

from games.rules import Options

from .chance import Chance, growth
from .lessons import Lesson
from .weights import PARTS, Parts, parts_of, total

Game = tuple[Options, int]  # options and number of seats

_BATCH = 32
_SHRINK = 0.003  # draws weights towards zero, so that rare features do not run away


def fit(
    lessons: Mapping[Game, Sequence[Lesson]], size: int, rounds: int, rate: float, start: Parts | None = None
) -> dict[str, list[float]]:
    """Return the weights, by part, under which what was right is likely."""
    parts = {name: list(start[name]) if start else [0.0] * size for name in PARTS}
    slopes = {name: [1e-8] * size for name in PARTS}  # sums of squared gradients (Adagrad)
    chance = Chance(0)
    batches = [
        (game, some[at : at + _BATCH]) for game, some in lessons.items() for at in range(0, len(some), _BATCH)
    ]
    for _ in range(rounds):
        for last in range(len(batches) - 1, 0, -1):
            other = chance.below(last + 1)
            batches[last], batches[other] = batches[other], batches[last]
        for (options, players), batch in batches:
            names = parts_of(options, players)
            gradient = _gradient(batch, total(parts, names))
            for name in names:
                weights, slope = parts[name], slopes[name]
                for place, steep in gradient.items():
                    steep -= _SHRINK * weights[place]
                    slope[place] += steep * steep
                    weights[place] += rate * steep / slope[place] ** 0.5
    return parts


def _gradient(batch: Sequence[Lesson], weights: Sequence[float]) -> dict[int, float]:
    gradient: dict[int, float] = {}
    for lesson in batch:
        likely = _likelihoods(lesson, weights)
        for features, right, guessed in zip(lesson.features, lesson.right, likely, strict=True):
            error = (right - guessed) / len(batch)
            for place, factor in features:
                gradient[place] = gradient.get(place, 0.0) + error * factor
    return gradient


def _likelihoods(lesson: Lesson, weights: Sequence[float]) -> list[float]:
    odds = [
        growth(sum([weights[place] * factor for place, factor in features])) for features in lesson.features
    ]
    whole = sum(odds)
    return [odd / whole for odd in odds]


def loss(lessons: Mapping[Game, Sequence[Lesson]], parts: Parts) -> float:
    """Return how surprising what was right is on average, in nats: lower is better."""
    surprise, count = 0.0, 0
    for (options, players), some in lessons.items():
        weights = total(parts, parts_of(options, players))
        for lesson in some:
            for right, guessed in zip(lesson.right, _likelihoods(lesson, weights), strict=True):
                if right:
                    surprise -= right * log(guessed)
            count += 1
    return surprise / count
