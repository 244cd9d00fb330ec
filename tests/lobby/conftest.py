"""A finished game of Anna, Bruno and Carla."""

from typing import Any

import pytest

from accounts.mail.models import OutgoingEmail
from games.models import Game
from tests.games.playing import begin_game, play_to_the_end


@pytest.fixture(autouse=True)
def emails_are_kept(settings: Any) -> None:
    settings.EMAIL_BACKEND = "accounts.mail.capture.CaptureBackend"


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def finished(people: list[Any]) -> Game:
    game = begin_game(people, name="Friday table")
    play_to_the_end(game)
    OutgoingEmail.objects.all().delete()
    return game
