"""Runs the management commands and makes records for them, whole matches too."""

import hashlib
import io
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from games.rules import (
    Entry,
    FinalBattle,
    Match,
    NextGame,
    Options,
    Record,
    State,
    after_game,
    apply,
    chain_of_secrets,
    commitment,
    first_condottiere,
    game_key,
    legal_moves,
    new_final_battle,
    new_game,
    parse_move,
    pending,
    record_json,
    result_json,
    shuffled,
)
from games.rules.selfplay import selfplay_game

BASE = Options()
POINTS = Options(variants=("playing-for-points",))
NAMES = ("Anna", "Bruno", "Carla")
NONCES = tuple(bytes([seat] * 16) for seat in range(3))


@dataclass(frozen=True)
class Done:
    """Return a command's output and its exit status."""

    status: int
    out: str
    err: str

    @property
    def refusals(self) -> list[str]:
        return self.err.splitlines()


def run(name: str, *arguments: object) -> Done:
    out, err, status = io.StringIO(), io.StringIO(), 0
    try:
        call_command(name, *[str(argument) for argument in arguments], stdout=out, stderr=err)
    except CommandError as error:
        status = error.returncode
        err.write(f"{error}\n")
    except SystemExit as end:
        status = int(end.code or 0)
    return Done(status, out.getvalue(), err.getvalue())


def give_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def import_lines(monkeypatch: pytest.MonkeyPatch, *lines: object, watch: str = "link") -> Done:
    """Import these lines; anything but bytes is written as JSON."""
    data = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    give_stdin(monkeypatch, data)
    return run("import_game", "-", "--watch", watch)


def lines_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def finished(number: int = 0, options: Options = BASE, players: int | None = 3) -> dict[str, Any]:
    """A finished record of random play."""
    return record_json(selfplay_game(options, players, "commands", number))


def played(
    state: State, names: Sequence[str], secret: bytes, nonces: Sequence[bytes], seed: int, **more: Any
) -> tuple[Record, State]:
    """Play a game of random moves from this start to its end."""
    rng, log, start = Random(seed), list[Entry](), state
    key = game_key(secret, nonces)
    while not state.is_over:
        if state.shuffle_pile:
            cards = shuffled(key, state.shuffles, state.shuffle_pile)
            seat, move = None, parse_move(" ".join(("shuffle", *cards)))
        else:
            seat = rng.choice(pending(state)).seat
            move = rng.choice(legal_moves(state, seat))
        state, _ = apply(state, seat, move)
        log.append(Entry(seat, str(move)))
    record = Record(
        options=start.options,
        players=tuple(names),
        first_condottiere=start.condottiere,
        log=tuple(log),
        commitment=commitment(secret),
        secret=secret.hex(),
        nonces=tuple(nonce.hex() for nonce in nonces),
        result=result_json(state.result),
        **more,
    )
    return record, state


def match_records(target: int = 12, seed: int = 1) -> list[Record]:
    """A match of three from its first game to its end, with its chain of secrets."""
    secrets = chain_of_secrets(hashlib.sha256(f"match {seed}".encode()).digest(), 101)
    first = first_condottiere(game_key(secrets[0], NONCES), 3)
    points, records = (0, 0, 0), list[Record]()
    for number in range(1, 101):
        record, state = played(
            new_game(POINTS, 3, first),
            NAMES,
            secrets[number - 1],
            NONCES,
            1000 * seed + number,
            match=Match(target, number, points),
            first_by="draw" if number == 1 else "table",
        )
        records.append(record)
        points = tuple(had + got for had, got in zip(points, record.result["points"], strict=True))
        regions = [holding.bit_count() for holding in state.holdings]
        following = after_game(target, number, points, first, regions)
        if isinstance(following, NextGame):
            first = following.first
            continue
        if isinstance(following, FinalBattle):
            records.append(_final_battle(following, secrets[number], seed, Match(target, number + 1, points)))
        return records
    raise AssertionError("no match has a hundred and first game")


def _final_battle(battle: FinalBattle, secret: bytes, seed: int, match: Match) -> Record:
    record, _ = played(
        new_final_battle(POINTS, battle.regions, battle.first),
        [NAMES[seat] for seat in battle.seats],
        secret,
        [NONCES[seat] for seat in battle.seats],
        seed,
        final_battle=battle.regions,
        match=replace(match, points=tuple(match.points[seat] for seat in battle.seats)),
    )
    return record


@cache
def match_with_final_battle() -> list[Record]:
    """A match that ends with a final battle whose seats are not numbered as those of the table."""
    for seed in range(1, 500):
        records = match_records(12, seed)
        if records[-1].final_battle and records[-1].players == ("Bruno", "Carla"):
            return records
    raise AssertionError("no such final battle")
