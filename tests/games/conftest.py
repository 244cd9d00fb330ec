"""A table's people and a game that has begun."""

from collections.abc import Callable
from typing import Any

import pytest

from games.models import Game
from tests.games.playing import begin_game, decision_of


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def game(people: list[Any]) -> Game:
    """Anna, Bruno and Carla at seats 0, 1 and 2; someone chooses the first region."""
    return begin_game(people)


@pytest.fixture
def asked(game: Game, people: list[Any]) -> Callable[[], Any]:
    """Return the person with the first decision of the game."""
    return lambda: people[decision_of(game).seat]
