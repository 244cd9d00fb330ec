"""The people of games that are played by a clock."""

from typing import Any

import pytest

from games.models import Game
from tests.games.playing import begin_game


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def game(people: list[Any]) -> Game:
    """Anna, Bruno and Carla at seats 0, 1 and 2, a day for each decision; one chooses the first region."""
    return begin_game(people, pace="day")
