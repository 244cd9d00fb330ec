"""Fits weights to lessons: a conditional logit, by gradient descent lesson by lesson.

Part of training, not of choosing moves.
"""

from collections.abc import Mapping, Sequence
from math import log

from games.rules import Options

from .chance import Chance, growth
from .lessons import Lesson
from .position_value import FEATURES
from .weights import PARTS, Parts, parts_of

Game = tuple[Options, int]  # options and number of seats
Lessons = Mapping[Game, Sequence[Lesson]]

_PASSES = 12  # over all lessons
_RATE = 0.03


def fit(lessons: Lessons) -> dict[str, list[float]]:
    """Return the weights, by part, under which what happened is likely.

    Games without options teach the weights of each edition and number of seats. Then the other games teach
    what their options add, with those weights as they are. So they don't blur the games without options.
    """
    parts = {name: [0.0] * FEATURES for name in PARTS}
    for has_options in (False, True):
        chance = Chance(0)
        taught = [
            (parts_of(*game), lesson)
            for game, some in lessons.items()
            if bool(game[0].variants) == has_options
            for lesson in some
        ]
        for number in range(_PASSES):
            _shuffle(taught, chance)
            for names, lesson in taught:
                moved = names[1:] if has_options else names
                _learn(
                    lesson,
                    [parts[name] for name in names],
                    [parts[name] for name in moved],
                    _RATE / (number + 1),
                )
    return parts


def _learn(lesson: Lesson, weights: Sequence[list[float]], moved: Sequence[list[float]], rate: float) -> None:
    """Move these lists of weights a small step to where what happened is likelier."""
    likely = _likelihoods(lesson, weights)
    for features, right, guessed in zip(lesson.features, lesson.right, likely, strict=True):
        step = rate * (right - guessed) / len(moved)
        for each in moved:
            for place, factor in features:
                each[place] += step * factor


def _likelihoods(lesson: Lesson, weights: Sequence[Sequence[float]]) -> list[float]:
    odds = [
        growth(sum([part[place] * factor for part in weights for place, factor in features]))
        for features in lesson.features
    ]
    whole = sum(odds)
    return [odd / whole for odd in odds]


def _shuffle(taught: list[tuple[tuple[str, ...], Lesson]], chance: Chance) -> None:
    for last in range(len(taught) - 1, 0, -1):
        other = chance.below(last + 1)
        taught[last], taught[other] = taught[other], taught[last]


def loss(lessons: Lessons, parts: Parts) -> float:
    """Return how surprising what happened is on average, in nats: lower is better."""
    surprise, count = 0.0, 0
    for game, some in lessons.items():
        weights = [parts[name] for name in parts_of(*game)]
        for lesson in some:
            for right, guessed in zip(lesson.right, _likelihoods(lesson, weights), strict=True):
                if right:
                    surprise -= right * log(guessed)
        count += len(some)
    return surprise / count
