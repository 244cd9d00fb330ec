"""An email's link serves one seat and one decision, without signing in, and is harmless afterwards."""

import re
from typing import Any

import pytest
from django.test import Client

from games import services
from games.links import LinkedDecision, answer_token
from games.models import Game
from games.models.replay import replayed
from games.rules import legal_moves, observe, pending
from tests.games.playing import answer, decision_of, game_where, legal_texts, play_to_the_end, submit

pytestmark = pytest.mark.django_db


def link_of(game: Game, people: list[Any], seat: int | None = None) -> str:
    decision = decision_of(game)
    if seat is not None:
        decision = next(each for each in pending(replayed(game).state) if each.seat == seat)
    linked = LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    return f"/answer/{answer_token(linked)}/"


def shows_hand(page: str) -> bool:
    return "Your hand" in page


def test_a_link_opens_the_decision_with_the_hand_without_signing_in(game: Game, people: list[Any]) -> None:
    client = Client()
    page = client.get(link_of(game, people)).content.decode()
    assert shows_hand(page)
    assert "Choose a region to fight for." in page
    assert "_auth_user_id" not in client.session
    assert game.log.count() == 1


def test_a_plain_choices_link_opens_one_button_and_pressing_it_plays(game: Game, people: list[Any]) -> None:
    client = Client()
    address = link_of(game, people)
    page = client.get(address + "confirm/?move=place+roma").content.decode()
    assert page.count('<button class="button" name="move"') == 1
    response = client.post(address + "move/", {"move": "place roma"})
    assert response.status_code == 302
    assert game.log.last().move == "place roma"
    assert game.log.last().via == "link"


def test_the_visit_goes_on_with_the_next_decision_asked_at_once(game: Game, people: list[Any]) -> None:
    client = Client()
    address = link_of(game, people)
    response = client.post(address + "move/", {"move": "place roma"})  # R4: the chooser acts first
    following = response["Location"]
    assert following.endswith("#ask")
    assert following != f"{address}#ask"
    page = client.get(following).content.decode()
    assert "Play a card or pass." in page
    assert shows_hand(page)


def test_a_card_with_several_ways_is_picked_on_the_game_page(people: list[Any]) -> None:
    game, _state = game_where(
        people, lambda state, q: any(move.card == "bishop" for move in legal_moves(state, q.seat))
    )
    page = Client().get(link_of(game, people) + "confirm/?move=play+bishop").content.decode()
    picked = [tag for tag in re.findall(r"<input[^>]*>", page) if " checked" in tag]
    assert len(picked) == 1
    assert 'value="bishop"' in picked[0]
    assert shows_hand(page)


def test_a_used_link_shows_what_the_whole_table_sees_and_never_the_hand(
    game: Game, people: list[Any]
) -> None:
    address = link_of(game, people)
    Client().post(address + "move/", {"move": "place roma"})
    page = Client().get(address).content.decode()
    assert "This link was for an earlier turn" in page
    assert "Sign in as" in page
    assert not shows_hand(page)
    assert 'name="move"' not in page


def test_a_used_link_says_when_it_is_ones_move_again(game: Game, people: list[Any]) -> None:
    address = link_of(game, people)
    mine = people[decision_of(game).seat]
    Client().post(address + "move/", {"move": "place roma"})  # R4: the chooser acts first
    page = Client().get(address).content.decode()
    assert "Use the link in the email about this turn, or sign in." in page
    assert "We’ll email you when" not in page
    assert f"Waiting for: {mine.name}" not in page
    assert f"Sign in as {mine.name}" in page
    assert mine.email not in page
    answer(game, "pass")
    page = Client().get(address).content.decode()
    assert "It is your move" not in page
    assert "We’ll email you when it’s your turn again." in page


def test_a_used_link_does_not_say_who_is_asked_in_secret(people: list[Any]) -> None:
    game, _state = game_where(people, lambda state, q: q.kind == "hand")
    for seat in range(3):
        token = answer_token(LinkedDecision(game.pk, seat, people[seat].pk, 1))
        page = Client().get(f"/answer/{token}/").content.decode()
        assert "It is your move" not in page
        assert "We’ll email you when" in page


def test_an_emails_link_leads_to_no_page_that_asks_to_sign_in(game: Game, people: list[Any]) -> None:
    page = Client().get(link_of(game, people)).content.decode()
    assert f'href="/games/{game.pk}/' not in page


def test_an_old_link_does_not_open_the_seats_newer_decisions(game: Game, people: list[Any]) -> None:
    address = link_of(game, people)
    Client().post(address + "move/", {"move": "place roma"})
    old = Client()
    again = old.post(address + "move/", {"move": "place roma"})  # the same answer from another browser
    assert again["Location"] == f"{address}#ask"
    assert not shows_hand(old.get(again["Location"]).content.decode())
    other = old.post(address + "move/", {"move": "pass"})
    assert other.status_code == 409
    assert not shows_hand(other.content.decode())
    assert old.get(address + "confirm/?move=pass").status_code == 409
    assert game.log.count() == 2


def test_a_double_click_in_one_visit_goes_on_as_the_first_click_did(game: Game, people: list[Any]) -> None:
    client = Client()
    address = link_of(game, people)
    client.post(address + "move/", {"move": "place roma"})
    second = client.post(address + "move/", {"move": "place roma"})
    assert shows_hand(client.get(second["Location"]).content.decode())
    assert game.log.count() == 2


def test_a_link_cannot_answer_another_decision_by_a_forged_form(game: Game, people: list[Any]) -> None:
    address = link_of(game, people)
    Client().post(address + "move/", {"move": "place roma"})
    newer = decision_of(game).decision_step
    response = Client().post(address + "move/", {"move": "pass", "decision_step": newer})
    assert response.status_code == 409
    assert game.log.count() == 2


def test_an_illegal_move_by_link_is_refused_with_the_decision_still_open(
    game: Game, people: list[Any]
) -> None:
    response = Client().post(link_of(game, people) + "move/", {"move": "pass"})
    assert response.status_code == 400
    assert "Choose a region to fight for." in response.content.decode()


def test_a_tampered_token_does_not_open(game: Game, people: list[Any]) -> None:
    address = link_of(game, people)
    token = address.split("/")[2]
    head, *rest = token.split(":")
    for forged in (
        head[:-1] + ":" + ":".join(rest),
        token[:-1] + ("A" if token[-1] != "A" else "B"),
        token * 2,
    ):
        assert Client().get(f"/answer/{forged}/").status_code == 404
        assert Client().post(f"/answer/{forged}/move/", {"move": "place roma"}).status_code == 404
    assert game.log.count() == 1


def test_an_expired_link_does_not_open(game: Game, people: list[Any], time_machine: Any) -> None:
    time_machine.move_to("2026-01-01T12:00:00Z", tick=False)
    address = link_of(game, people)
    time_machine.move_to("2026-12-01T12:00:00Z", tick=False)
    assert Client().get(address).status_code == 404


def test_a_link_made_for_someone_who_no_longer_has_the_seat_does_not_open(
    game: Game, people: list[Any], dario: Any
) -> None:
    address = link_of(game, people)
    seat = game.table.seats.get(number=decision_of(game).seat)
    seat.user = dario
    seat.save()
    assert Client().get(address).status_code == 404


def test_head_and_options_change_nothing_and_get_does_not_play(game: Game, people: list[Any]) -> None:
    address = link_of(game, people)
    for path in (address, address + "confirm/?move=place+roma"):
        for method in ("get", "head", "options"):
            getattr(Client(), method)(path)
    assert Client().get(address + "move/").status_code == 405
    assert game.log.count() == 1


def test_the_page_opened_by_a_link_keeps_to_itself(game: Game, people: list[Any]) -> None:
    response = Client().get(link_of(game, people))
    assert response["Cache-Control"] == "no-store, private"
    assert response["Referrer-Policy"] == "same-origin"
    assert "noindex" in response["X-Robots-Tag"]
    outside = [url for url in re.findall(r'(?:src|href)="([^"]+)"', response.content.decode()) if "//" in url]
    assert outside == []


def test_the_link_of_a_finished_game_shows_the_result(game: Game, people: list[Any]) -> None:
    address = link_of(game, people)
    play_to_the_end(game)
    page = Client().get(address).content.decode()
    assert "won the game" in page or "share the victory" in page


def test_two_hand_decisions_have_links_of_their_own(people: list[Any]) -> None:
    game, state = game_where(people, lambda state, q: q.kind == "hand" and len(pending(state)) == 2)
    decisions = pending(state)
    first, second = decisions[0].seat, decisions[1].seat
    addresses = [link_of(game, people, seat) for seat in (first, second)]
    Client().post(addresses[0] + "move/", {"move": "discard hand"})
    page = Client().get(addresses[1]).content.decode()
    assert "Discard your whole hand, or keep it." in page
    assert "discarded their hand" not in page
    closed = Client().get(addresses[0]).content.decode()
    assert not shows_hand(closed)
    assert "Their names stay secret" in closed


def test_keeping_cards_is_ticked_and_confirmed(people: list[Any]) -> None:
    game, state = game_where(
        people, lambda state, q: q.kind == "keep" and len(observe(state, q.seat).hand or ()) > 2
    )
    seat = pending(state)[0].seat
    hand = observe(state, seat).hand or ()
    address, client = link_of(game, people), Client()
    assert client.get(address + "confirm/?move=keep&card=1&card=1&card=1").status_code == 400
    assert client.get(address + "confirm/?move=keep&card=nonsense").status_code == 400
    page = client.get(address + "confirm/", {"move": "keep", "card": hand[-1:]}).content.decode()
    assert f'value="keep {hand[-1]}"' in page
    client.post(address + "move/", {"move": f"keep {hand[-1]}"})
    assert [entry.move.split()[0] for entry in game.log.order_by("-ply")[:2]] == ["shuffle", "keep"]


def test_the_same_answer_by_link_and_by_page_is_one_move(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    decision = decision_of(game)
    address = link_of(game, people)
    signed_in(people[decision.seat]).post(
        f"/games/{game.pk}/move/", {"move": "place roma", "decision_step": decision.decision_step}
    )
    assert Client().post(address + "move/", {"move": "place roma"})["Location"] == f"{address}#ask"
    assert game.log.count() == 2


def test_commands_tell_an_answer_given_before_from_one_never_asked(game: Game) -> None:
    decision = decision_of(game)
    answer(game, "place roma")
    from games.rules import parse_move

    with pytest.raises(services.AlreadyPlayed):
        submit(game, decision.seat, parse_move("place napoli"), decision.decision_step, "web")
    assert "pass" in legal_texts(game)
