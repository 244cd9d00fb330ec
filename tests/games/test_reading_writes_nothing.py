"""Opening a page writes only read markers, and costs no more for players with many games."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.links import LinkedDecision, answer_token
from games.models import Game
from tests.games.playing import begin_game, decision_of, game_where, play_to_the_end, play_until, seat_table

pytestmark = pytest.mark.django_db


def queries_of(client: Client, path: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return [query["sql"] for query in captured]


def writes(sql: str) -> bool:
    """Return whether a statement does more than read: it changes or locks a row."""
    return not sql.lstrip().startswith("SELECT") or bool(re.search(r"\b(INSERT|UPDATE|DELETE)\b", sql))


def pages(people: list[Any], game: Game) -> list[str]:
    table = seat_table(people, size=4)
    return ["/", "/games/", "/tables/", "/tables/new/", f"/tables/{table.pk}/", f"/games/{game.pk}/"]


def test_every_page_only_selects(game: Game, people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    play_until(game, lambda state, decision: state.ply > 10)
    for path in pages(people, game):
        queries_of(client, path)  # there is nothing new on it any more
        assert not [sql for sql in queries_of(client, path) if writes(sql)], path


def test_an_emails_link_only_selects(game: Game, people: list[Any]) -> None:
    decision = decision_of(game)
    token = answer_token(
        LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    )
    for path in (f"/answer/{token}/", f"/answer/{token}/confirm/?move=place+roma"):
        assert not [sql for sql in queries_of(Client(), path) if writes(sql)]


@pytest.mark.long
def test_queries_do_not_grow_with_games_or_moves(people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    first = begin_game(people)
    asked = decision_of(first).seat
    _live_on(people)
    few = [len(queries_of(client, path)) for path in pages(people, first)]
    _live_on(people)
    play_until(first, lambda state, decision: state.ply > 60 and decision.seat == asked)
    many = [len(queries_of(client, path)) for path in pages(people, first)]
    assert many == few


def _live_on(people: list[Any]) -> None:
    """Add some games that wait for different people, and a finished one."""
    for asked in (0, 1):
        game_where(people, lambda state, decision, asked=asked: decision.seat == asked)
    play_to_the_end(begin_game(people))
