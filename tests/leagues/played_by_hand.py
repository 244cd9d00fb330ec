"""A season of five people with one table in each of three rounds, with fixed results."""

from __future__ import annotations

from typing import Any

from accounts import clock
from games.leagues.models import Season
from games.leagues.services.result_collection import collect
from tests.leagues import world

NAMES = ("Anna", "Bruno", "Carla", "Dario", "Elena")

# The seats, and what the games dealt there came to: regions, and what more a connected victory gave.
SEATED = (
    ("Anna", "Bruno", "Carla", "Dario"),
    ("Elena", "Dario", "Bruno", "Anna"),
    ("Carla", "Elena", "Anna", "Bruno"),
)
CAME_TO = (
    {"Anna": (5, 0), "Bruno": (2, 0), "Carla": (1, 0), "Dario": (2, 0)},
    {"Elena": (2, 0), "Dario": (2, 0), "Bruno": (2, 0), "Anna": (5, 5)},
    {"Carla": (1, 0), "Elena": (5, 0), "Anna": (3, 0), "Bruno": (1, 0)},
)
WON = ("Anna", "Anna", "Elena")


def played(**plan: Any) -> Season:
    """Five people who played three rounds at one table, while the fifth sat out."""
    people = {name: world.person(name) for name in NAMES}
    season = world.a_running_season(people["Anna"], list(people.values()), rounds=3, **plan)
    for round_, names in zip(season.divisions.get().rounds.all(), SEATED, strict=True):
        (left_out,) = set(NAMES) - set(names)
        (table,) = world.seat_by_hand(round_, [people[name] for name in names], byes=[people[left_out]])
        world.finish(table, seed=round_.number)
        assert collect(table, clock.now())
    return season
