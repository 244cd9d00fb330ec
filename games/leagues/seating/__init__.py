"""Seating: tables that balance whom players meet and which seats they hold.

Pure functions: player numbers and a published seed go in, tables come out, the same on every machine.
`pairing_cost` defines what a table costs. Anyone who knows the seed can seat a round again and verify that
no one chose: `python -m games.leagues.seating` does it from a file.
"""

from games.leagues.seating.next_round import seat_next, seat_round
from games.leagues.seating.planned_rounds import plan_rounds, rounds_for_everybody
from games.leagues.seating.table_sizes import (
    LEAST_AT_TABLE,
    SIZES,
    has_smaller_tables,
    possible_sizes,
    table_sizes,
)
from games.leagues.seating.values import (
    KIND,
    KIND_OF_ONE_ROUND,
    BadSeating,
    PairingHistory,
    Seated,
    history_of,
)
