"""Bruno answers nothing: what everyone reads in the meantime, and how Bruno comes back."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from accounts import clock as site_clock
from games.models import Game
from tests.clocks.passing import Wall, asked_seat, pass_once, seat_of, timed_game, who_is_asked

pytestmark = pytest.mark.django_db

BRUNO = 1


@pytest.fixture
def wall(settings: Any) -> Iterator[Wall]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    clock = Wall()
    with site_clock.use_clock(clock):
        yield clock


def read(client: Client, path: str) -> str:
    page = unescape(client.get(path, follow=True).content.decode())
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", re.sub(r"</?time[^>]*>", "", page)))


def emails_to(name: str) -> list[Any]:
    return [email for email in mail.outbox if email.to == [f"{name}@example.org"]]


def the_others_play_until_bruno_is_asked(game: Game) -> None:
    while who_is_asked(game) != [BRUNO]:
        pass_once(game)


def link_in(email: Any, path: str) -> str:
    found = re.search(rf"http://testserver(/{path}/\S+)", email.body)
    assert found is not None, email.body
    return found[1]


def test_from_the_first_time_out_to_being_back(people: list[Any], signed_in: Any, wall: Wall) -> None:
    game = timed_game(people, pace="hours", most_misses=2)
    anna = signed_in(people[0])
    page = f"/games/{game.pk}/"

    the_others_play_until_bruno_is_asked(game)
    assert "Bruno must move by Tuesday 3 March, 18:00 (" in read(anna, page)
    wall.pass_to(asked_seat(game).due_at)
    subjects = [email.subject for email in emails_to("bruno")]
    assert [subject for subject in subjects if subject.startswith("Reminder: ")], "they were reminded"
    assert subjects[-1].startswith("You ran out of time")
    told = emails_to("bruno")[-1].body
    assert re.search(r"You ran out of time, so the site (passed for you|drew \w+ to fight for)\.", told)
    assert "If you miss the next turn too, a bot plays for you" in re.sub(r"\s+", " ", told)
    assert "ran out of time, so the site" in read(anna, page)

    while not seat_of(game, BRUNO).played_by_bot:
        the_others_play_until_bruno_is_asked(game)
        wall.pass_to(asked_seat(game).due_at)
    wall.tick()
    assert "Bruno is away. A bot plays until they are back." in read(anna, page)
    assert "A bot plays for Bruno: Table 42" in [email.subject for email in emails_to("carla")]
    (stood_in,) = [email for email in emails_to("bruno") if "A bot plays for you" in email.subject]
    seat_page = link_in(stood_in, "seat")
    assert "A bot is playing for you" in read(Client(), seat_page)
    assert seat_of(game, BRUNO).played_by_bot, "opening the link changed nothing"

    back = Client().post(seat_page, {"action": "back"}, follow=True).content.decode()
    assert "Welcome back. You are playing again." in back
    assert "Bruno is back and plays again." in read(anna, page)
    the_others_play_until_bruno_is_asked(game)
    mine = read(signed_in(people[1]), page)
    assert "Move by" in mine
    assert "Time per move: 6 hours" in mine, "the whole time of a decision"
    assert "reserve" not in mine, "it was used up before"
