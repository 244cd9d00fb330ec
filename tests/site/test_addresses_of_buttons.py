"""The address of a button, opened: people come there who pressed it signed out, and then signed in."""

from typing import Any

import pytest
from django.test import Client

from games.models import Game
from tests.games.playing import begin_game

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(anna: Any, bruno: Any) -> Game:
    return begin_game([anna, bruno])


@pytest.mark.parametrize("button", ["note/", "move/", "absent/0/"])
def test_it_says_that_nothing_was_changed_and_leads_to_its_page(
    game: Game, anna: Any, signed_in: Any, button: str
) -> None:
    answer = signed_in(anna).get(f"/games/{game.pk}/{button}")
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"
    assert "private" in answer["Cache-Control"]
    page = answer.content.decode()
    assert "<h1>Nothing was changed</h1>" in page
    assert f'href="/games/{game.pk}/">Open the page</a>' in page


def test_other_methods_are_answered_briefly(game: Game, anna: Any, signed_in: Any) -> None:
    client: Client = signed_in(anna)
    assert client.put(f"/games/{game.pk}/note/").content == b""
