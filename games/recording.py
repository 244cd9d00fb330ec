"""The public record of a finished game (rules/RECORD.md). Refuses to make one while the game runs."""

from __future__ import annotations

import json
from zoneinfo import ZoneInfo

from games.models import Game
from games.rules import Record, read_record, record_json


def record_of(game: Game, names: tuple[str, ...]) -> Record:
    """The whole record of a finished game, its secret included. Raises ValueError for a running one."""
    if not game.is_over:
        raise ValueError(f"game {game.pk} is still running: its secret stays secret")
    table = game.table
    log = [
        [entry.seat, entry.move, {"at": entry.at.astimezone(ZoneInfo("UTC")).isoformat(timespec="seconds")}]
        for entry in game.log.all()
    ]
    return read_record(
        {
            "format": "condottiere-game-record/1",
            "edition": table.options.edition,
            "variants": list(table.options.variants),
            "players": list(names),
            "first_condottiere": game.first_condottiere,
            "first_by": "draw",
            "commitment": table.commitment_of(game.number),
            "secret": table.secret_of(game.number).hex() or None,
            "nonces": game.nonces,
            "log": log,
            "ended": None,
            "result": game.result,
        }
    )


def record_text(record: Record) -> str:
    """The record as one line of JSON, as `python -m games.rules` reads it."""
    return json.dumps(record_json(record), ensure_ascii=False) + "\n"
