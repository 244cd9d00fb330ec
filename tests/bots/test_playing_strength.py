"""How often bots win, and how much work a move is. The games are the same every time."""

from collections.abc import Iterator
from random import Random

import pytest

from games.bots import cards, choose, plans, regions
from games.bots.duel import duel
from games.rules import VARIANTS, Observation, Options, apply, new_game, observe, parse_move, pending
from tests.work import calls_of

REMEMBERING = [
    thing
    for room in (cards, plans, regions)
    for thing in vars(room).values()
    if hasattr(thing, "cache_clear")
]
VARIED = [*(Options("2007", (variant,)) for variant in VARIANTS), Options("2007", VARIANTS), Options("1995")]
MOST_CALLS = 100_000  # about 50 milliseconds
pytestmark = [pytest.mark.once]


@pytest.mark.parametrize(
    ("seats", "share"),
    [
        ("recruit,random", 0.80),
        ("captain,random", 0.95),
        ("captain,random,random", 0.85),
        ("captain,recruit", 0.65),
    ],
)
@pytest.mark.long
def test_the_first_wins_its_promised_share(seats: str, share: float) -> None:
    kinds = seats.split(",")
    played = duel(kinds, 1000, "promised")
    score = played.scores[kinds[0]]
    assert score.rate() >= share
    assert sum(each.won for each in played.scores.values()) == pytest.approx(score.games)


@pytest.mark.long
@pytest.mark.parametrize("options", VARIED, ids=lambda options: ",".join(options.variants) or options.edition)
@pytest.mark.parametrize(
    ("seats", "share"),
    [
        ("recruit,random", 0.80),
        ("captain,random", 0.90),
        ("captain,random,random", 0.80),
        ("captain,recruit", 0.60),
    ],
)
def test_with_options_too(options: Options, seats: str, share: float) -> None:
    kinds = seats.split(",")
    assert duel(kinds, 200, "varied", options).scores[kinds[0]].rate() >= share


def test_points_are_counted_where_games_are_played_for_them() -> None:
    scores = duel(["captain", "random"], 30, "points", Options("2007", ("playing-for-points",))).scores
    captain, random = scores["captain"].points, scores["random"].points
    assert captain is not None
    assert random is not None
    assert captain > 2 * random > 0
    assert duel(["captain", "random"], 1, "points").scores["captain"].points is None


@pytest.mark.parametrize(
    "options", [Options(), *VARIED[-2:]], ids=lambda options: f"{options.edition}-{len(options.variants)}"
)
@pytest.mark.long
def test_no_move_takes_much_work(options: Options) -> None:
    for players in (2, 4, 6):
        for seen in _decisions(options, players, 10):
            assert _calls(seen) < MOST_CALLS


def _decisions(options: Options, players: int, games: int) -> Iterator[Observation]:
    """Return what captains see when they must move, in games of captains."""
    for number in range(games):
        rng = Random(number)
        state = new_game(options, players, 0)
        while not state.is_over:
            if state.shuffle_pile:
                pile = list(state.shuffle_pile)
                rng.shuffle(pile)
                state, _ = apply(state, None, parse_move(" ".join(("shuffle", *pile))))
            else:
                seen = observe(state, pending(state)[0].seat)
                yield seen
                state, _ = apply(state, seen.seat, choose("captain", seen))


def _calls(seen: Observation) -> int:
    """Return how many functions an answer calls, with caches emptied first."""
    for remembers in REMEMBERING:
        remembers.cache_clear()
    return calls_of(lambda: choose("captain", seen))
