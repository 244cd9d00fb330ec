"""A page shows changes at once, only to its reader, and to no one who is signed out."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import transaction
from django.test import Client

from accounts import clock
from accounts.mail.models import SuppressedAddress
from accounts.models import User
from games import services
from games.chat.services import write
from games.models import Game, Proposal, Seat, Table
from tests.games import polls
from tests.games.playing import answer, begin_game, legal_texts, play_until

pytestmark = pytest.mark.django_db

TOKEN = re.compile(r'(name="csrfmiddlewaretoken" value=")([^"]+)')
POLL = re.compile(r'<div id="live"[^>]*>')


@pytest.fixture
def game(people: list[Any]) -> Game:
    """Carla has no decision; Bruno has one."""
    game = begin_game(people, pace="day", time_by="host")
    play_until(game, lambda state, decision: state.ply > 9 and decision.seat == 1 and state.phase == "battle")
    return game


@pytest.fixture
def client(anna: Any, signed_in: Any) -> Client:
    return signed_in(anna)


def path(game: Game) -> str:
    return f"/games/{game.pk}/"


def seen_at(client: Client, game: Game) -> str:
    """Return the game's page without what differs each time."""
    page = client.get(path(game)).content.decode()
    return POLL.sub("", TOKEN.sub(r"\1", page))


def moves(game: Game) -> None:
    answer(game, legal_texts(game)[0])


def chats(game: Game) -> None:
    write(game.table.seats.get(number=1), "A word.")


def user_at(game: Game, number: int) -> Any:
    return User.objects.filter(pk=game.table.seats.get(number=number).user_id)


def is_called_otherwise(game: Game) -> None:
    user_at(game, 1).update(name="Beatrice")


def calls_herself_otherwise(game: Game) -> None:
    user_at(game, 0).update(name="Annalisa")


def lives_elsewhere(game: Game) -> None:
    user_at(game, 0).update(time_zone="Asia/Tokyo")


def has_not_chosen_a_name(game: Game) -> None:
    user_at(game, 0).update(name_chosen=False)


def takes_notes(game: Game) -> None:
    services.write_note(game, user_at(game, 0).get(), "Bruno holds a Bishop.")


def proposes_an_end(game: Game) -> None:
    services.propose_end(game.table.seats.get(number=1), game, Proposal.What.NONE)


def pauses(game: Game) -> None:
    services.host_pauses(game, game.table.host, 3)


def renames_the_table(game: Game) -> None:
    Table.objects.filter(pk=game.table_id).update(name="At the well")


def lets_mail_fail(game: Game) -> None:
    SuppressedAddress.objects.create(address="anna@example.org", since=clock.now())


def goes_away(game: Game) -> None:
    Seat.objects.filter(table=game.table_id, number=1).update(played_by_bot="captain")


def another_game_waits(game: Game) -> None:
    begin_game([seat.user for seat in game.table.all_seats()])
    Seat.objects.filter(number=0).exclude(table=game.table_id).update(asked_since=clock.now())


CHANGES = [
    moves,
    chats,
    is_called_otherwise,
    calls_herself_otherwise,
    lives_elsewhere,
    has_not_chosen_a_name,
    takes_notes,
    proposes_an_end,
    pauses,
    renames_the_table,
    lets_mail_fail,
    goes_away,
    another_game_waits,
]


def test_whatever_changes_shows_at_once(game: Game, client: Client) -> None:
    seen_at(client, game)
    before = seen_at(client, game)
    for change in CHANGES:
        with transaction.atomic():
            change(Game.objects.select_related("table").get(pk=game.pk))
            assert seen_at(client, game) != before, change.__name__
            transaction.set_rollback(True)


def is_locked_out(anna: User, client: Client) -> None:
    User.objects.filter(pk=anna.pk).update(is_active=False)


def has_another_password(anna: User, client: Client) -> None:
    anna.set_password("as good as new")
    anna.save()


def is_signed_out_elsewhere(anna: User, client: Client) -> None:
    Session.objects.filter(pk=client.session.session_key).delete()


def came_long_ago(anna: User, client: Client) -> None:
    Session.objects.update(expire_date=datetime.now(UTC) - timedelta(seconds=1))


def has_a_broken_cookie(anna: User, client: Client) -> None:
    client.cookies[settings.SESSION_COOKIE_NAME] = client.session.session_key[::-1]


@pytest.mark.parametrize(
    "change",
    [is_locked_out, has_another_password, is_signed_out_elsewhere, came_long_ago, has_a_broken_cookie],
)
@pytest.mark.long
def test_someone_who_is_not_signed_in_any_more_sees_it_no_more(
    game: Game, client: Client, anna: User, change: Callable[[User, Client], None]
) -> None:
    assert client.get(path(game)).status_code == 200
    change(anna, client)
    assert client.get(path(game)).status_code == 302


def test_news_say_how_many_games_wait_in_the_menu(signed_in: Any, game: Game, bruno: User) -> None:
    client = signed_in(bruno)
    page = client.get(path(game)).content.decode()
    menu = re.compile(r'<a id="my-games"[^>]*data-waiting="(\d+)"')
    assert menu.findall(page) == ["1"]
    play_until(game, lambda _state, decision: decision.seat != 1)
    assert menu.findall(polls.poll(client, page).content.decode()) == ["0"]


def test_a_poll_without_news_asks_the_database_twice(
    client: Client, game: Game, django_assert_num_queries: Any
) -> None:
    page = client.get(path(game)).content.decode()
    with django_assert_num_queries(2):
        assert polls.poll(client, page).status_code == 304
    moves(game)
    news = polls.poll(client, page)
    assert news.status_code == 200
    assert news["Content-Language"] == "en"
