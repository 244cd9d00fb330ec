"""Everyone's first game has the guide's hints, by link too; no one else learns whose first game it is."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.mail.delivery import deliver_due
from games import services
from games.links import LinkedDecision, answer_url
from games.models import Game, Seat
from games.models.replay import replayed
from games.presenters.guide import ALL, HINTS
from games.rules import pending
from games.services.practice import begin_practice
from tests.games.playing import answer, begin_game, legal_texts, play_to_the_end

pytestmark = pytest.mark.django_db

HINT = re.compile(r'class="hint">.*?<p>(.*?)</p>', re.S)
MINUTE = "/rules/minute/"


def read(client: Client, path: str) -> str:
    return unescape(client.get(path).content.decode())


def hint_on(page: str) -> str:
    """Return the key of the hint that this page shows."""
    found = HINT.search(page)
    return next(key for key, text in HINTS.items() if str(text) == found[1]) if found else ""


def link_to_turn(game: Game) -> str:
    asked = pending(replayed(game).state)[0]
    person = game.table.seats.get(number=asked.seat).person
    linked = LinkedDecision(game.pk, asked.seat, person.pk, asked.decision_step)
    return answer_url(linked).removeprefix("http://testserver")


def asked_seat(game: Game) -> Seat:
    return game.table.seats.select_related("user").get(number=pending(replayed(game).state)[0].seat)


def firsts(game: Game) -> list[bool]:
    return list(game.table.seats.order_by("number").values_list("is_first_game", flat=True))


def emails_to(person: Any) -> list[Any]:
    mail.outbox.clear()
    deliver_due()
    return [email for email in mail.outbox if email.to == [person.email]]


@pytest.fixture
def veteran(anna: Any, carla: Any) -> Any:
    """Anna has played a game to its end."""
    play_to_the_end(begin_game([anna, carla]))
    return anna


def test_a_first_game_has_hints_on_its_page_and_by_link(anna: Any, bruno: Any, signed_in: Any) -> None:
    game = begin_game([anna, bruno])
    seat, link = asked_seat(game), link_to_turn(game)
    assert hint_on(read(signed_in(seat.person), f"/games/{game.pk}/")) == "place"
    by_link = Client()
    assert hint_on(read(by_link, link)) == "place"
    assert by_link.post(f"{link}hint/", {"hint": "place"})["Location"] == f"{link}#ask"
    assert hint_on(read(by_link, link)) == ""
    assert hint_on(read(signed_in(seat.person), f"/games/{game.pk}/")) == ""


def test_a_move_by_link_puts_its_hint_away_and_the_next_page_has_the_next(anna: Any, bruno: Any) -> None:
    game = begin_game([anna, bruno])
    seat, link, by_link = asked_seat(game), link_to_turn(game), Client()
    (shown,) = re.findall(r'type="hidden" name="hint" value="(.*?)"', read(by_link, link))
    following = by_link.post(f"{link}move/", {"move": legal_texts(game)[0], "hint": shown})["Location"]
    seat.refresh_from_db()
    assert seat.hints_read == ["place"]
    assert hint_on(read(by_link, following)) == "first-card"


def test_the_second_game_has_none(veteran: Any, bruno: Any, signed_in: Any) -> None:
    game = begin_game([veteran, bruno])
    assert firsts(game) == [False, True]
    assert not HINT.search(read(signed_in(veteran), f"/games/{game.pk}/"))


def test_practice_does_not_count_but_its_hints_stay_read(anna: Any, bruno: Any) -> None:
    practice = begin_practice(anna, 1, "recruit", uuid4())
    practice.table.seats.filter(user=anna).update(hints_read=["place", "first-card"])
    game = begin_game([anna, bruno])
    assert firsts(game) == [True, True]
    assert game.table.seats.get(user=anna).hints_read == ["place", "first-card"]


def test_a_seat_that_changes_hands_follows_its_new_player(
    veteran: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    game = begin_game([veteran, bruno])
    seat = game.table.seats.get(user=bruno)
    Seat.objects.filter(pk=seat.pk).update(hints_read=["place"])
    services.replace_player(seat, carla)
    seat.refresh_from_db()
    assert (seat.is_first_game, seat.hints_read) == (False, [])
    services.give_up(seat)
    assert services.fill_seat(seat, dario).is_first_game


def test_an_old_link_neither_tells_of_a_first_game_nor_puts_hints_away(anna: Any, bruno: Any) -> None:
    game = begin_game([anna, bruno])
    seat, link = asked_seat(game), link_to_turn(game)
    answer(game, legal_texts(game)[0])
    page = read(Client(), link)
    assert not HINT.search(page)
    assert MINUTE not in page
    Client().post(f"{link}hint/", {"hint": ALL})
    seat.refresh_from_db()
    assert seat.hints_read == []


def test_no_one_else_learns_whose_first_game_it_is(
    veteran: Any, bruno: Any, carla: Any, signed_in: Any
) -> None:
    game = begin_game([veteran, bruno], watch="anyone")

    def seen() -> list[str]:
        clients = [signed_in(veteran), Client()]
        pages = [f"/games/{game.pk}/", f"/watch/{game.table.watch_key}/", f"/tables/{game.table_id}/"]
        return [without_keys(read(client, page)) for client in clients for page in pages]

    with time_machine.travel(timezone.now(), tick=False):
        told = seen()
        Seat.objects.filter(table=game.table_id, user=bruno).update(is_first_game=False, hints_read=[ALL])
        assert seen() == told


def without_keys(page: str) -> str:
    return re.sub(r'(csrfmiddlewaretoken" value|nonce|form_key" value)="[^"]*"', "", page)


def test_only_the_first_turn_email_of_a_first_game_says_what_wins(
    veteran: Any, bruno: Any, settings: Any
) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.EMAIL_HOLD = settings.EMAIL_HOLD * 0
    game = begin_game([veteran, bruno])
    told = {veteran: list[bool](), bruno: list[bool]()}
    for _move in range(8):
        seat = asked_seat(game)
        for email in emails_to(seat.person):
            if email.subject.startswith("Your turn"):
                says = MINUTE in email.body
                assert (MINUTE in email.alternatives[0][0]) == ("To win," in email.body) == says
                told[seat.person].append(says)
        answer(game, "pass" if "pass" in legal_texts(game) else legal_texts(game)[0])
    assert told[veteran]
    assert set(told[veteran]) == {False}
    assert len(told[bruno]) > 1
    assert told[bruno] == [True] + [False] * (len(told[bruno]) - 1)
