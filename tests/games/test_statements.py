"""How many statements a page and a move put to the database: one more fails, and fewer change the number."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.models import Game
from games.rules import Phase
from tests.games.playing import begin_game, decision_of, legal_texts, play_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

PAGE = 11  # one of them: whether the panel of standing orders explains itself to a newcomer
FIRST_VISIT = PAGE + 1  # the read marker
MOVE = 15


@pytest.fixture
def game(people: list[Any], dario: Any) -> Game:
    """A game of four with a clock and a battle of several cards."""
    game = begin_game([*people, dario], pace="day")
    play_until(game, lambda state, decision: decision.kind == Phase.BATTLE and state.ply > 8, seed=3)
    return game


@pytest.fixture
def client(game: Game, signed_in: Any) -> Client:
    asked: Client = signed_in(game.table.seats.get(number=decision_of(game).seat).user)
    return asked


def statements(captured: CaptureQueriesContext) -> list[str]:
    """Return what was put to the database, without the ends of transactions."""
    return [query["sql"] for query in captured if query["sql"] not in ("BEGIN", "COMMIT")]


def read(client: Client, game: Game) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(f"/games/{game.pk}/").status_code == 200
    return statements(captured)


def test_the_game_page(client: Client, game: Game) -> None:
    first, again = read(client, game), read(client, game)
    assert len(first) == FIRST_VISIT, first
    assert len(again) == PAGE, again


def test_a_move(client: Client, game: Game) -> None:
    move = next(text for text in legal_texts(game) if text.startswith("play"))
    form = {"move": move, "decision_step": decision_of(game).decision_step}
    with CaptureQueriesContext(connection) as captured:
        assert client.post(f"/games/{game.pk}/move/", form).status_code == 302
    assert len(found := statements(captured)) == MOVE, found
