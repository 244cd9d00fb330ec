"""Who sits with whom, and where: tables that balance whom one meets and which seats one holds. A pure room:
numbers of players and a published seed go in, tables come out, the same on every machine.

What a table costs is said in `costs`. Whoever knows the seed can seat a round again, and see that nobody
chose: `python -m games.leagues.seating` does it from a file.
"""

from .balance import Balance, balance_of
from .planning import plan_rounds, rounds_for_everybody
from .seat_next import LEAST_AT_TABLE, seat_next
from .seat_round import seat_round
from .seating_file import KIND
from .values import SIZES, BadSeating, NotEnoughPlayers, Past, PlayerTwice, Seated, WrongSize, past_of

__all__ = [
    "KIND",
    "LEAST_AT_TABLE",
    "SIZES",
    "BadSeating",
    "Balance",
    "NotEnoughPlayers",
    "Past",
    "PlayerTwice",
    "Seated",
    "WrongSize",
    "balance_of",
    "past_of",
    "plan_rounds",
    "rounds_for_everybody",
    "seat_next",
    "seat_round",
]
