"""The small print of a game's pages: news, ages, former players, and the order of parts."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from accounts.models import User
from condottiere_site.privacy import erase
from games.models import Game, Table
from tests.games.playing import answer, begin_game, decision_of, play_to_the_end

pytestmark = pytest.mark.django_db


def read(client: Client, path: str) -> str:
    return unescape(client.get(path).content.decode())


def news(page: str) -> str:
    return page.partition("Since your last move")[2].partition("</section>")[0]


def test_the_first_news_are_the_hands_and_not_the_shuffle(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    chooser = people[decision_of(game).seat]
    page = read(signed_in(chooser), f"/games/{game.pk}/")
    assert "Since your last move" not in page
    assert "The game so far" not in page  # the log below tells it
    assert page.count("You drew 10 cards") == 1
    deliver_due(timezone.now())
    body = next(email.body for email in mail.outbox if email.to == [chooser.email])
    assert "Your hand: " in body
    assert "The game so far" not in body  # nothing has happened but what the hand shows


def test_ones_own_move_is_no_news_to_oneself(game: Game, people: list[Any], signed_in: Any) -> None:
    chooser = people[decision_of(game).seat]
    answer(game, "place roma")
    page = read(signed_in(chooser), f"/games/{game.pk}/")
    assert "You chose to fight for Roma." in page  # in the log
    assert "chose to fight" not in news(page)


def test_the_effects_of_ones_own_move_are_news_and_so_is_what_followed(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    answer(game, "place roma")
    passed = []
    for _turn in people:
        passed.append(people[decision_of(game).seat].name)
        answer(game, "pass")
    reader = people[decision_of(game).seat]
    page = read(signed_in(reader), f"/games/{game.pk}/")
    told = news(page)
    assert "No one took Roma" in page.partition('id="event"')[2].partition("</section>")[0]
    assert "Roma" not in told  # the battle's end is there once
    assert f"{reader.name} passed." not in told
    for name in passed[passed.index(reader.name) + 1 :]:
        assert f"{name} passed." in told


def test_what_was_a_moment_ago_is_not_zero_minutes_ago(people: list[Any], anna: Any, signed_in: Any) -> None:
    with time_machine.travel("2026-11-20T12:00:00Z", tick=False) as clock:
        asked = people[decision_of(begin_game(people, watch="anyone")).seat]
        other = next(person for person in people if person != asked)
        clients = {person: signed_in(person) for person in (asked, other)}
        clock.shift(timedelta(seconds=59))
        assert "waiting for less than a minute" in read(clients[asked], "/games/")
        assert "less than a minute ago" in read(clients[other], "/games/")
        assert "less than a minute ago" in read(Client(), "/watch/")
        clock.shift(timedelta(hours=2))
        assert "2 hours ago" in read(Client(), "/watch/")


def test_a_game_goes_on_without_who_left_for_good(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="anyone")
    decision = decision_of(game)
    other = signed_in(people[(decision.seat + 1) % 3])
    erase(User.objects.get(pk=people[decision.seat].pk))
    for path, client in ((f"/games/{game.pk}/", other), (f"/watch/{game.table.watch_key}/", Client())):
        page = read(client, f"{path}?open=log")
        assert "Waiting for: a former player." not in page
        assert "A former player left, and" in page


def test_the_past_shows_the_map_first_then_what_happened_and_the_hands_last(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    Table.objects.filter(pk=game.table_id).update(watch="link")
    play_to_the_end(game)
    page = read(Client(), f"/watch/{game.table.watch_key}/history/12/")
    parts = ("</nav>", 'class="map"', 'class="consequences"', 'id="hands-title"')
    order = [page.index(part) for part in parts]
    assert order == sorted(order)
