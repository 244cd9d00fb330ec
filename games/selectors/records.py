"""The public record of a finished game (rules/RECORD.md). A running game gets none."""

from __future__ import annotations

import json
from typing import Any
from zoneinfo import ZoneInfo

from games.models import Game, LogEntry
from games.rules import Record, first_condottiere, read_record, record_json


def record_of(game: Game, names: tuple[str, ...]) -> Record:
    """Return the whole record of a finished game, including its secret; `names` are those of all seats.

    The final battle of a match is the record of its tied seats only, numbered from 0. Raises ValueError for a
    running game.
    """
    if not game.is_over:
        raise ValueError(f"game {game.pk} is still running: its secret stays secret")
    table, fighters = game.table, game.fighters
    numbers: dict[int | None, int | None] = {seat: number for number, seat in enumerate(fighters)}
    numbers[None] = None  # the table itself, which shuffles
    return read_record(
        {
            "format": "condottiere-game-record/1",
            "edition": table.options.edition,
            "variants": list(table.options.variants),
            "players": [names[seat] for seat in fighters],
            "first_condottiere": numbers[game.first_condottiere],
            "first_by": "draw" if _was_drawn(game) else "table",
            "commitment": table.commitment_of(game.number),
            "secret": table.secret_of(game.number).hex() or None,
            "nonces": [game.nonces[seat] for seat in fighters] if game.nonces else [],
            "copied": game.copied and [_copied(part) for part in game.copied],
            "log": [[numbers[entry.seat], entry.move, _note(entry)] for entry in game.log.all()],
            "ended": _ended(game),
            "match": _match(game),
            "final_battle": game.final_battle and [game.final_battle[seat] for seat in fighters],
            "result": _result(game, numbers),
        }
    )


def record_text(record: Record) -> str:
    """Return the record as one line of JSON, as `python -m games.rules` reads it."""
    return json.dumps(record_json(record), ensure_ascii=False) + "\n"


def _ended(game: Game) -> str | None:
    """Return how the table ended the game, in the terms of records.

    An adjudicated game counts as ended by settings that all players had agreed to.
    """
    return Game.Ended.AGREEMENT if game.ended == Game.Ended.ADJUDICATED else game.ended or None


def _was_drawn(game: Game) -> bool:
    """Return whether the first Condottiere was drawn by the secret (R2); in a match only in its first game.

    For an imported game this is not stored. There it is True if the seat is the one the secret gives.
    """
    if game.number != 1 or game.final_battle is not None or not game.table.secret:
        return False
    if game.is_first_set or game.copied:
        return False
    return not game.table.is_imported or first_condottiere(game.key, game.players) == game.first_condottiere


def _copied(part: dict[str, Any]) -> dict[str, Any]:
    return {"entries": part["entries"], "commitment": part["commitment"]}


def _note(entry: LogEntry) -> dict[str, str]:
    note = {"at": entry.at.astimezone(ZoneInfo("UTC")).isoformat(timespec="seconds")}
    return note | ({"via": entry.via} if entry.via else {})


def _match(game: Game) -> dict[str, Any] | None:
    """Return which game of a match it was, and its players' points before it."""
    target, points = game.table.target, game.points_before or [0] * game.players
    if target is None:
        return None
    return {"target": target, "game": game.number, "points": [points[seat] for seat in game.fighters]}


def _result(game: Game, numbers: dict[int | None, int | None]) -> dict[str, Any] | None:
    if game.result is None:
        return None
    return {**game.result, "winners": [numbers[seat] for seat in game.result["winners"]]}
