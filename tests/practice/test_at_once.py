"""Two clicks at the same moment begin one game, play one move, add one bot."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client

from games import services
from games.models import Game, LogEntry, Table
from games.services.practice import begin_practice
from tests.journeys.test_two_at_once import at_once, posting, the_log_is_sound
from tests.practice.playing_as_a_guest import TAKE_BACK, begin, begun, decision_step, offered

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

ROUNDS = 3


@pytest.fixture(autouse=True)
def on_postgresql(transactional_db: None) -> None:
    assert connection.vendor == "postgresql"


def test_two_clicks_play_one_move_and_the_bots_answer_once() -> None:
    path = begun(Client(), 5)
    for _turn in range(ROUNDS):
        page = Client().get(path).content.decode()
        plain = [move for move in offered(page) if move not in ("play bishop", "play scarecrow")]
        about: dict[str, object] = {"move": plain[0], "decision_step": decision_step(page)}
        answers = at_once(*(posting(Client(), f"{path}move/", about) for _click in range(2)))
        assert [answer.status_code for answer in answers] == [302, 302]
        assert LogEntry.objects.filter(seat=0, decision_step=about["decision_step"]).count() == 1
        the_log_is_sound(Game.objects.get())


def test_two_clicks_take_back_one_move(signed_in: Any, anna: Any) -> None:
    for _turn in range(ROUNDS):
        game = begin_practice(anna, 1, "recruit", uuid4())
        path = f"/games/{game.pk}/"
        clients = [signed_in(anna) for _click in range(2)]
        page = clients[0].get(path).content.decode()
        about: dict[str, object] = {"move": offered(page)[-1], "decision_step": decision_step(page)}
        clients[0].post(f"{path}move/", about)
        form_key = TAKE_BACK.findall(clients[0].get(path).content.decode())[0]
        sent: dict[str, object] = {"form_key": form_key}
        answers = at_once(*(posting(client, f"{path}take-back-move/", sent) for client in clients))
        assert answers[0]["Location"] == answers[1]["Location"] != path
        the_log_is_sound(Game.objects.of(anna).latest("pk"))
    assert Game.objects.of(anna).count() == ROUNDS


def test_two_clicks_begin_one_game() -> None:
    for turn in range(ROUNDS):
        click = partial(begin, form_key=str(uuid4()))
        answers = at_once(*[partial(click, Client()) for _click in range(2)])
        assert [answer.status_code for answer in answers] == [302, 302]
        assert answers[0]["Location"] == answers[1]["Location"]
        assert Table.objects.count() == turn + 1


def test_two_people_who_keep_a_game_at_once_are_one(signed_in: Any, anna: Any, bruno: Any) -> None:
    for _turn in range(ROUNDS):
        path = begun(Client())
        keeping = (posting(signed_in(person), f"{path}keep/") for person in (anna, bruno))
        answers = at_once(*keeping)
        assert sorted(answer.status_code for answer in answers) == [302, 404]


def test_two_clicks_seat_one_bot(signed_in: Any, anna: Any) -> None:
    for _turn in range(ROUNDS):
        table = services.make_table(anna, name="Table 42", size=4, entry="open")
        about: dict[str, object] = {"strength": "captain", "roster": 1}
        answers = at_once(
            *(posting(signed_in(anna), f"/tables/{table.pk}/bot/", about) for _click in range(2))
        )
        assert [answer.status_code for answer in answers] == [302, 302]
        assert table.seats.exclude(bot="").count() == 1
