"""Selectors for lists and dashboards: pending, running and finished games. Reads stored columns only.

No game is replayed here. No player is named as asked if that is secret (R17).
"""

from games.selectors.lists import (
    GameRow,
    Rematch,
    finished_games,
    game_rows,
    offered_seats,
    open_tables,
    rematch_for,
    running_games,
    tables_of,
)
from games.selectors.my_games import WaitingRow, away_from, questions_to, waiting_for

__all__ = [
    "GameRow",
    "Rematch",
    "WaitingRow",
    "away_from",
    "finished_games",
    "game_rows",
    "offered_seats",
    "open_tables",
    "questions_to",
    "rematch_for",
    "running_games",
    "tables_of",
    "waiting_for",
]
