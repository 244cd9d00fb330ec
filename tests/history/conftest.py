"""A finished game that several people may look back at."""

from typing import Any

import pytest

from games.models import Game
from tests.games.playing import begin_game, play_to_the_end


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.EMAIL_HOLD = settings.EMAIL_HOLD * 0


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def finished(people: list[Any]) -> Game:
    """A finished game that anyone with the link may watch."""
    game = begin_game(people, watch="link")
    play_to_the_end(game, seed=6)
    game.refresh_from_db()
    return game
