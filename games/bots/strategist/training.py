"""Training: first the games of captains teach, then the bot's own. Not part of choosing moves."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from games.rules import SEATS, VARIANTS, Options

from .fitting import Game, fit, loss
from .lessons import Lesson, Lessons, Player, captain, play_and_learn, strategist_with
from .weights import SIZES, LearnedWeights, Parts, write_weights

OPTIONS = (
    Options(),
    *[Options("2007", (variant,)) for variant in VARIANTS],
    Options("2007", VARIANTS),
    Options("1995"),
)
_BASE_SHARE = 20  # so many times as many games of the base game: all others build on its weights
_POLICY_TAUGHT = 4  # one game in so many teaches the policy: a game has far more choices than battles
_PASSES = 12  # over all lessons
_RATES = {"policy": 0.1, "value": 0.03}
# Imagined seats do the likeliest more often than captains did: few of their choices are a matter of luck.
_DECIDED = {"policy": 3.0, "value": 1.0}
_HELD_OUT = 6  # one in so many lessons only tests

Learned = dict[Game, Lessons]


def train(
    path: Path, seed: str, games: int, rounds: int, playouts: int, processes: int | None = None
) -> Iterator[str]:
    """Write weights learned from `games` games of each kind in each step, and yield lines about the fit.

    First captains play. In `rounds` further steps it's the bot itself, as trained so far.
    """
    learned = {(options, players): Lessons() for options in OPTIONS for players in SEATS}
    weights = None
    for step in ("captains", *[f"own games {number + 1}" for number in range(rounds)]):
        play = partial(_play, weights=weights, playouts=playouts, games=games, seed=f"{seed}/{step}")
        with ProcessPoolExecutor(processes) as pool:
            for game, lessons in zip(learned, pool.map(play, learned), strict=True):
                learned[game].policy += lessons.policy
                learned[game].value += lessons.value
        parts = {}
        for kind in SIZES:
            parts[kind], line = _fitted(kind, learned)
            yield f"{step}, {line}"
        weights = LearnedWeights(parts)
        write_weights(path, parts)


def _play(game: Game, weights: LearnedWeights | None, playouts: int, games: int, seed: str) -> Lessons:
    """Return what games of one kind teach, with captains in every third seat and this bot in the others."""
    options, players = game
    player: Player = strategist_with(weights, playouts) if weights else captain
    lessons = Lessons()
    for number in range(games * (_BASE_SHARE if options == Options() else 1)):
        seated = [player if (seat + number) % 3 else captain for seat in range(players)]
        name = f"{seed}/{options}/{players}/{number}"
        play_and_learn(options, seated, name, lessons, teaches_policy=not number % _POLICY_TAUGHT)
    return lessons


def _fitted(kind: str, learned: Learned) -> tuple[Parts, str]:
    """Fit one kind of weights, and say how well they foretell lessons held out."""
    taught: dict[Game, list[Lesson]] = {}
    tested: dict[Game, list[Lesson]] = {}
    for game, lessons in learned.items():
        some = getattr(lessons, kind)
        cut = len(some) - len(some) // _HELD_OUT  # the last ones are mostly of other games
        taught[game], tested[game] = some[:cut], some[cut:]
    parts = fit(taught, SIZES[kind], _PASSES, _RATES[kind])
    line = (
        f"{kind}: {sum(map(len, taught.values()))} lessons,"
        f" loss {loss(taught, parts):.4f}, held out {loss(tested, parts):.4f}"
    )
    decided = {name: [_DECIDED[kind] * weight for weight in weights] for name, weights in parts.items()}
    return decided, line
