"""Finished records of random legal play, for tests and measurements.

Choices are read from hash blocks, like the shuffles, and no random generator is used. So the same seed gives
the same bytes on every machine.
"""

from collections.abc import Iterator
from hashlib import sha256
from hmac import digest

from .engine import apply
from .legality import legal_moves, pending
from .moves import Move, parse_move
from .observation import result_json
from .options import SEATS, Options
from .record import DRAW, Entry, Record
from .shuffle import below, commitment, first_condottiere, game_key, nonce_from_secret, shuffled, words
from .state import State, new_game

NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elena", "Fabio")


def selfplay_game(options: Options, players: int | None, seed: str, number: int) -> Record:
    """Return finished game `number` (from 0) of a seed; without `players` their number varies.

    Random play ends with probability 1, but no rule ends it: if everyone always passes, the game never ends
    (R22).
    """
    game = digest(
        sha256(seed.encode("utf-8", "surrogateescape")).digest(), number.to_bytes(8, "big"), "sha256"
    )
    drawn = words(game, b"condottiere-selfplay-1")
    seats = players or SEATS[below(len(SEATS), drawn)]
    secret = digest(game, b"secret", "sha256")
    nonces = [nonce_from_secret(secret, seat) for seat in range(seats)]
    key = game_key(secret, nonces)
    start = new_game(options, seats, first_condottiere(key, seats))
    end, log = _played_out(start, key, drawn)
    return Record(
        options=options,
        players=NAMES[:seats],
        first_condottiere=start.condottiere,
        first_by=DRAW,
        commitment=commitment(secret),
        secret=secret.hex(),
        nonces=tuple([nonce.hex() for nonce in nonces]),
        log=tuple(log),
        result=result_json(end.result),
    )


def _played_out(state: State, key: bytes, drawn: Iterator[int]) -> tuple[State, list[Entry]]:
    log = list[Entry]()
    while not state.is_over:
        seat, move = _shuffle(state, key) if state.owed else _choice(state, drawn)
        state, _ = apply(state, seat, move)
        log.append(Entry(seat, str(move)))
    return state, log


def _shuffle(state: State, key: bytes) -> tuple[None, Move]:
    pile = shuffled(key, state.shuffles, state.shuffle_pile)
    return None, parse_move(" ".join(("shuffle", *pile)))


def _choice(state: State, drawn: Iterator[int]) -> tuple[int, Move]:
    """Choose any seat with a pending decision, and any of its moves."""
    asked = pending(state)
    seat = asked[below(len(asked), drawn)].seat
    moves = legal_moves(state, seat)
    return seat, moves[below(len(moves), drawn)]
