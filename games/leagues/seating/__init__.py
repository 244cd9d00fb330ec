"""Seating: tables that balance whom players meet and which seats they hold.

Pure functions: player numbers and a published seed go in, tables come out, the same on every machine.
`pairing_cost` defines what a table costs. Anyone who knows the seed can seat a round again and verify that
no one chose: `python -m games.leagues.seating` does it from a file.
"""

from games.leagues.seating.search import (
    plan_rounds,
    rounds_for_everybody,
    seat_next,
    seat_round,
)
from games.leagues.seating.values import (
    KIND,
    LEAST_AT_TABLE,
    SIZES,
    BadSeating,
    PairingHistory,
    Seated,
    history_of,
    table_sizes,
)

__all__ = [
    "KIND",
    "LEAST_AT_TABLE",
    "SIZES",
    "BadSeating",
    "PairingHistory",
    "Seated",
    "history_of",
    "plan_rounds",
    "rounds_for_everybody",
    "seat_next",
    "seat_round",
    "table_sizes",
]
