"""Random legal games for the tests, each from its own seed, and every set of options a table can choose."""

from dataclasses import dataclass
from itertools import combinations
from random import Random

from games.rules import EDITIONS, Options, State, apply, legal_moves, new_game, parse_move, pending

Log = list[tuple[int | None, str]]
LONGEST = 20_000

EVERY_OPTIONS: tuple[Options, ...] = tuple(
    Options(edition, chosen)
    for edition, printed in EDITIONS.items()
    for count in range(len(printed.variants) + 1)
    for chosen in combinations(printed.variants, count)
)


@dataclass(frozen=True)
class Game:
    """One game, played to its end or cut off."""

    options: Options
    players: int
    first: int
    log: Log
    state: State


def random_game(
    seed: int,
    options: Options | None = None,
    players: int | None = None,
    passing: float | None = None,
    cut: int | None = None,
) -> Game:
    """Any seat that is asked, any of its moves, until the game is over. `passing` is how likely a seat that
    may pass does; `cut` is the length at which a game is left, for tables that hardly ever play a card: no
    rule ends those (R22 ends their rounds only)."""
    rng = Random(seed)
    options = options or Options()
    players = players or rng.randrange(2, 7)
    state = new_game(options, players, rng.randrange(players))
    first, log = state.condottiere, Log()
    while not state.is_over and len(log) != cut:
        assert len(log) < LONGEST, f"seed {seed} does not end"
        seat, text = _next(state, rng, passing)
        state, _ = apply(state, seat, parse_move(text))
        log.append((seat, text))
    return Game(options, players, first, log, state)


def _next(state: State, rng: Random, passing: float | None) -> tuple[int | None, str]:
    if state.shuffle_pile:
        pile = list(state.shuffle_pile)
        rng.shuffle(pile)
        return None, " ".join(("shuffle", *pile))
    seat = rng.choice(pending(state)).seat
    # Region by region a Bishop has many moves: choosing the card first plays the other cards as often.
    kinds: dict[str | None, list[str]] = {}
    for move in legal_moves(state, seat):
        kinds.setdefault(move.card if move.kind == "play" else str(move), []).append(str(move))
    if passing is not None and "pass" in kinds and len(kinds) > 1:
        passes = [text for text in kinds if text in ("pass", "pass reveal")]
        if rng.random() < passing:
            return seat, str(rng.choice(passes))
        kinds = {kind: texts for kind, texts in kinds.items() if kind not in passes}
    return seat, rng.choice(rng.choice(list(kinds.values())))


# Bold play uses the cards up (R18, R26); timid play leaves battles without a card (R22) and hands over their
# limit.
TEMPERS: tuple[float | None, ...] = (None, 0.05, None, 0.85)


def any_game(number: int) -> Game:
    """A random game of this number: option sets, numbers of players and tempers take turns, so that every
    combination comes once in a row of 660."""
    options = EVERY_OPTIONS[number % len(EVERY_OPTIONS)]
    players = 2 + number // len(EVERY_OPTIONS) % 5
    temper = TEMPERS[(number + number // (5 * len(EVERY_OPTIONS))) % len(TEMPERS)]
    return random_game(number, options, players, temper, cut=600 if temper == TEMPERS[-1] else None)
