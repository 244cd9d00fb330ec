"""Finished records of games between bots, with shuffles that can be verified. Not part of choosing moves."""

from collections.abc import Sequence
from hashlib import sha256
from hmac import digest
from random import Random

from games.rules import (
    Entry,
    Move,
    Options,
    Record,
    State,
    apply,
    commitment,
    first_condottiere,
    game_key,
    new_game,
    nonce_from_secret,
    parse_move,
    pending,
    result_json,
    shuffled,
)

from .seated_players import SeatedPlayers, Thought


def bot_record(kinds: Sequence[str], options: Options, seed: str, number: int, thought: Thought) -> Record:
    """Return game `number` of a seed between players of these kinds."""
    secret = digest(
        sha256(seed.encode("utf-8", "surrogateescape")).digest(), number.to_bytes(8, "big"), "sha256"
    )
    nonces = [nonce_from_secret(secret, seat) for seat in range(len(kinds))]
    key = game_key(secret, nonces)
    rng = Random(f"{seed}/{number}")  # noqa: S311 - repeatable, and only for random play
    start = new_game(options, len(kinds), first_condottiere(key, len(kinds)))
    end, log = _played_out(start, SeatedPlayers(kinds, f"{seed}/{number}", thought, rng), key)
    return Record(
        options=options,
        players=tuple([f"{kind.capitalize()} {seat + 1}" for seat, kind in enumerate(kinds)]),
        first_condottiere=start.condottiere,
        first_by="draw",
        commitment=commitment(secret),
        secret=secret.hex(),
        nonces=tuple([nonce.hex() for nonce in nonces]),
        log=tuple(log),
        result=result_json(end.result),
    )


def _played_out(state: State, players: SeatedPlayers, key: bytes) -> tuple[State, list[Entry]]:
    log: list[Entry] = []
    while not state.is_over:
        if state.shuffle_pile:
            seat, move = None, _shuffle(state, key)
        else:
            seat = pending(state)[0].seat
            move = players.choose(state, seat)
        state, told = apply(state, seat, move)
        players.follow(told)
        log.append(Entry(seat, str(move)))
    return state, log


def _shuffle(state: State, key: bytes) -> Move:
    return parse_move(" ".join(("shuffle", *shuffled(key, state.shuffles, state.shuffle_pile))))
