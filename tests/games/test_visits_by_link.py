"""After a move by an email's link, that browser may continue to play the seat for an hour."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import SignInCode
from games.links import LinkedDecision, answer_token
from games.models import Game
from games.models.replay import replayed
from games.rules import observe, pending
from tests.games.playing import answer, decision_of, game_where, legal_texts, play_to_the_end
from tests.games.polls import poll

pytestmark = pytest.mark.django_db


def link_of(game: Game, people: list[Any]) -> str:
    """Return the link to the first open decision."""
    decision = decision_of(game)
    linked = LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    return f"/answer/{answer_token(linked)}/"


def hand_on(page: str) -> str:
    """Return the part of a page that shows its viewer's hand; empty without one."""
    found = re.search(r'<section class="hand-block".*?</section>', page, re.S)
    return found[0] if found else ""


def said_on(page: str) -> str:
    """Return what the page first says about the move to make."""
    found = re.search(r'<h2 id="ask-title">(.*?)</h2>', page)
    assert found, page
    return found[1]


def placed_by_link(game: Game, people: list[Any]) -> tuple[Client, str]:
    """A visit by link whose player has chosen Roma, passed, and waits."""
    client = Client()
    following = client.post(link_of(game, people) + "move/", {"move": "place roma"})["Location"]
    following = following.removesuffix("#ask")
    page = client.post(following + "move/", {"move": "pass"})["Location"]
    return client, page.removesuffix("#ask")


def test_it_says_that_the_move_is_in_and_who_is_next_and_shows_the_hand(
    game: Game, people: list[Any]
) -> None:
    me = decision_of(game).seat
    client, path = placed_by_link(game, people)
    game.refresh_from_db()
    nxt = people[decision_of(game).seat].name
    page = client.get(path).content.decode()
    assert said_on(page) == f"Your move is in. {nxt} is next."
    hand = observe(replayed(game).state, me).hand
    assert hand
    assert f"{len(hand)} cards" in hand_on(page)
    assert "This link was for an earlier turn" not in page
    assert 'name="move"' not in page


def test_it_keeps_showing_the_seats_own_view_while_the_game_goes_on(game: Game, people: list[Any]) -> None:
    client, path = placed_by_link(game, people)
    game.refresh_from_db()
    answer(game, "pass")
    game.refresh_from_db()
    nxt = people[decision_of(game).seat].name
    page = client.get(path).content.decode()
    assert said_on(page) == f"Your move is in. {nxt} is next."
    assert hand_on(page)


def test_every_older_link_of_the_seat_shows_it_in_the_same_browser_and_nowhere_else(
    game: Game, people: list[Any]
) -> None:
    first = link_of(game, people)
    client, path = placed_by_link(game, people)
    assert hand_on(client.get(first).content.decode())
    for other in (Client(), Client(headers={"user-agent": "another"})):
        for old in (first, path):
            page = other.get(old).content.decode()
            assert not hand_on(page)
            assert "This link was for an earlier turn" in page


def test_sending_an_old_answer_again_from_another_browser_begins_no_visit(
    game: Game, people: list[Any]
) -> None:
    first = link_of(game, people)
    placed_by_link(game, people)
    other = Client()
    for move in ("place roma", "place napoli"):
        page = other.post(first + "move/", {"move": move}, follow=True).content.decode()
        assert not hand_on(page)
    assert not hand_on(other.get(first).content.decode())


def test_it_belongs_to_one_seat_of_one_game(game: Game, people: list[Any]) -> None:
    client, _path = placed_by_link(game, people)
    game.refresh_from_db()
    decision = decision_of(game)  # another seat's
    answer(game, "pass")
    closed = LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    assert not hand_on(client.get(f"/answer/{answer_token(closed)}/").content.decode())


def test_two_games_can_be_answered_in_one_visit(game: Game, people: list[Any]) -> None:
    client, path = placed_by_link(game, people)
    other, _state = game_where(people, lambda state, q: q.kind == "place")
    me = decision_of(other).seat
    linked = LinkedDecision(other.pk, me, people[me].pk, decision_of(other).decision_step)
    client.post(f"/answer/{answer_token(linked)}/move/", {"move": legal_texts(other)[0]})
    assert hand_on(client.get(path).content.decode())


def test_it_ends_after_an_hour(game: Game, people: list[Any]) -> None:
    with time_machine.travel(datetime.fromisoformat("2026-03-01T12:00:00+00:00"), tick=False) as clock:
        client, path = placed_by_link(game, people)
        clock.shift(timedelta(minutes=59))
        assert hand_on(client.get(path).content.decode())
        clock.shift(timedelta(minutes=2))
        assert not hand_on(client.get(path).content.decode())


def test_it_ends_when_the_seat_is_someone_elses(game: Game, people: list[Any], dario: Any) -> None:
    me = decision_of(game).seat
    client, path = placed_by_link(game, people)
    game.table.seats.filter(number=me).update(user=dario)
    assert client.get(path).status_code == 404


def test_a_later_decision_is_answered_by_its_own_email_alone(people: list[Any]) -> None:
    game, _state = game_where(people, lambda state, q: q.kind == "place")
    me = decision_of(game).seat
    client, path = placed_by_link(game, people)
    game.refresh_from_db()
    for _turn in range(200):  # until this seat is asked again
        if decision_of(game).seat == me:
            break
        answer(game, legal_texts(game)[-1])
    page = client.get(path).content.decode()
    assert said_on(page) == "It’s your turn again. Use the link in the email about this turn, or sign in."
    assert hand_on(page)
    assert 'name="move"' not in page
    move = legal_texts(game)[-1]
    assert client.post(path + "move/", {"move": move}).status_code == 409
    assert client.get(path + "confirm/", {"move": move}).status_code == 409


def test_signing_in_has_the_address_filled_in(game: Game, people: list[Any]) -> None:
    me = people[decision_of(game).seat]
    client, path = placed_by_link(game, people)
    page = client.get(path).content.decode()
    found = re.search(r'class="button[^"]*" href="(/accounts/login/[^"]*)"', page)
    assert found
    assert me.email not in page
    assert me.email not in found[1]
    form = client.get(found[1]).content.decode()
    assert re.search(rf'<input[^>]*name="login"[^>]*value="{re.escape(me.email)}"', form) or re.search(
        rf'<input[^>]*value="{re.escape(me.email)}"[^>]*name="login"', form
    )
    assert me.email not in Client().get(found[1]).content.decode()


@pytest.mark.long
def test_someone_who_signs_in_from_a_visit_stays_signed_in_as_long_as_anyone(
    game: Game, people: list[Any], settings: Any
) -> None:
    me = people[decision_of(game).seat]
    client, path = placed_by_link(game, people)
    me.set_password("a good long one")
    me.save()
    form = {"login": me.email, "password": "a good long one", "by": "password"}
    client.post(f"/accounts/login/?next=/games/{game.pk}/", form)
    assert client.session.get_expiry_age() == settings.SESSION_COOKIE_AGE
    page = client.get(path).content.decode()
    assert f'href="/games/{game.pk}/">Open the game' in page


def test_an_open_page_of_a_visit_is_told_of_news_with_its_own_view(game: Game, people: list[Any]) -> None:
    client, path = placed_by_link(game, people)
    page = client.get(path).content.decode()
    assert poll(client, page).status_code == 304
    answer(game, "pass")
    blocks = poll(client, page).content.decode()
    assert hand_on(blocks)
    assert "Your move is in." in blocks
    assert not hand_on(poll(Client(), page).content.decode())  # the address alone shows no hand


def test_a_finished_game_is_shown_with_its_result(game: Game, people: list[Any]) -> None:
    client, path = placed_by_link(game, people)
    play_to_the_end(game)
    page = client.get(path).content.decode()
    assert "won the game" in page or "share the victory" in page
    assert f'href="/games/{game.pk}/' not in page


def test_a_secret_round_says_who_is_asked_to_no_one(people: list[Any]) -> None:
    game, _state = game_where(people, lambda state, q: q.kind == "hand" and len(pending(state)) == 2)
    client = Client()
    path = client.post(link_of(game, people) + "move/", {"move": "keep hand"})["Location"]
    page = client.get(path).content.decode()
    assert said_on(page) == "Your move is in."
    assert "Their names stay secret" in page
    assert hand_on(page)


def test_signing_in_after_a_visit_lasts_for_long_and_forgets_whose_link_it_was(
    game: Game, people: list[Any]
) -> None:
    client, _page = placed_by_link(game, people)
    other = people[decision_of(game).seat - 1]
    client.post("/accounts/login/", {"login": other.email})
    client.post("/accounts/login/code/confirm/", {"code": SignInCode.objects.get().code})
    assert "_auth_user_id" in client.session
    assert client.session.get_expiry_age() > 80 * 24 * 3600
    assert not any(person.email in str(dict(client.session)) for person in people if person != other)
