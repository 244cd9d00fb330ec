"""Random legal games for the tests, each from its own seed."""

from dataclasses import dataclass
from random import Random

from games.rules import Options, State, apply, legal_moves, new_game, parse_move, pending

Log = list[tuple[int | None, str]]
LONGEST = 20_000


@dataclass(frozen=True)
class Game:
    """One game played to its end."""

    options: Options
    players: int
    first: int
    log: Log
    state: State


def random_game(seed: int, options: Options | None = None, players: int | None = None) -> Game:
    """Any seat that is asked, any of its moves, until the game is over."""
    rng = Random(seed)
    options = options or Options()
    players = players or rng.randrange(2, 7)
    state = new_game(options, players, rng.randrange(players))
    first, log = state.condottiere, Log()
    while not state.is_over:
        assert len(log) < LONGEST, f"seed {seed} does not end"
        seat, text = _next(state, rng)
        state, _ = apply(state, seat, parse_move(text))
        log.append((seat, text))
    return Game(options, players, first, log, state)


def _next(state: State, rng: Random) -> tuple[int | None, str]:
    if state.shuffle_pile:
        pile = list(state.shuffle_pile)
        rng.shuffle(pile)
        return None, " ".join(("shuffle", *pile))
    seat = rng.choice(pending(state)).seat
    # Region by region a Bishop has many moves: choosing the card first plays the other cards as often.
    kinds: dict[str | None, list[str]] = {}
    for move in legal_moves(state, seat):
        kinds.setdefault(move.card if move.kind == "play" else str(move), []).append(str(move))
    return seat, rng.choice(rng.choice(list(kinds.values())))
