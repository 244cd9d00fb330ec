"""What somebody's own page lists: what waits for him, what runs, what is over. Reads stored columns only.

No game is replayed here, and nobody is named of whom the table may not know that he is asked (R17). Rows are
plain values, so that a page can keep what it made of them (condottiere_site.kept); the statements behind them
are written out, because composing one costs more than asking it.
"""

from games.overview.games import GameRow, listed_games
from games.overview.rematches import Rematch, rematch_for
from games.overview.statements import Span
from games.overview.tables import TableRow, lobby_holds, offered_seats, open_tables, tables_of
from games.overview.waiting import Holdings, WaitingRow, away_from, holdings_of, questions_to, waiting_for

__all__ = [
    "GameRow",
    "Holdings",
    "Rematch",
    "Span",
    "TableRow",
    "WaitingRow",
    "away_from",
    "holdings_of",
    "listed_games",
    "lobby_holds",
    "offered_seats",
    "open_tables",
    "questions_to",
    "rematch_for",
    "tables_of",
    "waiting_for",
]
