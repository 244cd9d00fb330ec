"""Training: first the games of captains teach, then the bot's own. Not part of choosing moves."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from games.rules import SEATS, VARIANTS, Options

from .fitting import Game, fit, loss
from .lessons import Lesson, Lessons, Player, captain, imitator_with, play_and_learn, strategist_with
from .weights import SIZES, Parts, read_weights, write_weights

OPTIONS = (
    Options(),
    *[Options("2007", (variant,)) for variant in VARIANTS],
    Options("2007", VARIANTS),
    Options("1995"),
)
_BASE_SHARE = 3  # so many times as many games of the base game
_IMITATED = 5  # so many times as many games of imitators, who are fast
_PASSES = {"policy": 5, "value": 12}  # over all lessons
_RATE = 0.1
_HELD_OUT = 6  # one in so many lessons only tests

Learned = dict[Game, Lessons]


def train(path: Path, seed: str, games: int, rounds: int, playouts: int) -> Iterator[str]:
    """Write weights learned from `games` games of each kind in each step, and yield lines about the fit.

    First captains play, to teach how battles are played. Then imitators of captains do, who are much faster,
    to teach what positions are worth. In the last `rounds` steps it's the bot itself, as trained so far.
    """
    learned: Learned = {}
    _play(learned, captain, games, f"{seed}/captains", teaches_policy=True)
    yield from _fitted(path, "captains", learned)
    imitator = imitator_with(read_weights(path))
    _play(learned, imitator, games * _IMITATED, f"{seed}/imitators", teaches_policy=False)
    yield from _fitted(path, "imitators", learned)
    for number in range(rounds):
        player = strategist_with(read_weights(path), playouts)
        _play(learned, player, games, f"{seed}/{number}", teaches_policy=True)
        yield from _fitted(path, "own games", learned)


def _play(learned: Learned, player: Player, games: int, seed: str, *, teaches_policy: bool) -> None:
    """Let this player play at tables of all kinds, with captains in every third seat."""
    for options in OPTIONS:
        for players in SEATS:
            lessons = learned.setdefault((options, players), Lessons())
            for game in range(games * (_BASE_SHARE if options == Options() else 1)):
                seated = [player if (seat + game) % 3 else captain for seat in range(players)]
                name = f"{seed}/{options}/{players}/{game}"
                play_and_learn(options, seated, name, lessons, teaches_policy=teaches_policy)


def _fitted(path: Path, step: str, learned: Learned) -> Iterator[str]:
    """Fit both kinds of weights, write them, and say how well they foretell lessons held out."""
    fitted: dict[str, Parts] = {}
    for kind, size in SIZES.items():
        taught, tested = _split({game: getattr(lessons, kind) for game, lessons in learned.items()})
        fitted[kind] = fit(taught, size, _PASSES[kind], _RATE)
        yield (
            f"{step}, {kind}: {sum(map(len, taught.values()))} lessons,"
            f" loss {loss(taught, fitted[kind]):.4f}, held out {loss(tested, fitted[kind]):.4f}"
        )
    write_weights(path, fitted)


def _split(
    lessons: Mapping[Game, Sequence[Lesson]],
) -> tuple[dict[Game, Sequence[Lesson]], dict[Game, Sequence[Lesson]]]:
    """Return lessons to learn from, and the last ones, mostly of other games, to test with."""
    cut = {game: len(some) - len(some) // _HELD_OUT for game, some in lessons.items()}
    return (
        {game: some[: cut[game]] for game, some in lessons.items()},
        {game: some[cut[game] :] for game, some in lessons.items()},
    )
