"""Training: first the games of captains teach, then the bot's own. Not part of choosing moves."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from games.rules import SEATS, VARIANTS, Options

from .fitting import Game, fit, loss
from .hand_lessons import HandTally
from .lessons import Lesson, Player, captain, lessons_of_game, strategist_with
from .weights import LearnedWeights, write_weights

OPTIONS = (
    Options(),
    *[Options("2007", (variant,)) for variant in VARIANTS],
    Options("2007", VARIANTS),
    Options("1995"),
)
# So many times as many games without options: all others build on them.
_SHARES = {Options(): 4}
_HELD_OUT = 6  # one in so many lessons only tests

Learned = dict[Game, list[Lesson]]


def train(
    path: Path, seed: str, games: int, rounds: int, playouts: int, processes: int | None = None
) -> Iterator[str]:
    """Write weights learned from `games` games of each kind in each step, and yield lines about the fit.

    First captains play. In `rounds` further steps it's the bot itself, as trained so far, against captains.
    """
    learned: Learned = {(options, players): [] for options in OPTIONS for players in SEATS}
    hands = HandTally()
    weights = None
    for step in ("captains", *[f"own games {number + 1}" for number in range(rounds)]):
        play = partial(_play, weights=weights, playouts=playouts, games=games, seed=f"{seed}/{step}")
        with ProcessPoolExecutor(processes) as pool:
            for game, (lessons, tally) in zip(learned, pool.map(play, learned), strict=True):
                learned[game] += lessons
                hands.add(tally)
        parts, line = _fitted(learned)
        yield f"{step}: {line}"
        weights = LearnedWeights(parts, hands.likelihoods())
        write_weights(path, weights)


def _play(
    game: Game, weights: LearnedWeights | None, playouts: int, games: int, seed: str
) -> tuple[list[Lesson], HandTally]:
    """Return what games of one kind teach, with this bot in one seat and captains in the others.

    Hands are counted in games of captains without options.
    """
    options, players = game
    tally = HandTally()
    counts = weights is None and not options.variants
    bot: Player = strategist_with(weights, playouts) if weights else captain
    lessons = []
    for number in range(games * _SHARES.get(options, 1)):
        seated = [captain if (seat + number) % players else bot for seat in range(players)]
        name = f"{seed}/{options}/{players}/{number}"
        lessons += lessons_of_game(options, seated, name, tally if counts else None)
    return lessons, tally


def _fitted(learned: Learned) -> tuple[dict[str, list[float]], str]:
    """Fit the weights, and say how well they foretell lessons held out."""
    taught: dict[Game, list[Lesson]] = {}
    tested: dict[Game, list[Lesson]] = {}
    for game, some in learned.items():
        cut = len(some) - len(some) // _HELD_OUT  # the last ones are mostly of other games
        taught[game], tested[game] = some[:cut], some[cut:]
    parts = fit(taught)
    line = (
        f"{sum(map(len, taught.values()))} lessons,"
        f" loss {loss(taught, parts):.4f}, held out {loss(tested, parts):.4f}"
    )
    return parts, line
