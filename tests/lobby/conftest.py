"""A finished game of Anna, Bruno and Carla."""

from typing import Any

import pytest

from accounts.post.models import Letter
from games.models import Game
from tests.games.playing import begin_game, play_to_the_end


@pytest.fixture(autouse=True)
def letters_are_kept(settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.post.kept.KeptLetters"


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def finished(people: list[Any]) -> Game:
    game = begin_game(people, name="Friday table")
    play_to_the_end(game)
    Letter.objects.all().delete()
    return game
