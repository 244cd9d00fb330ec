"""The ways out of a game, as its page offers and describes them (R49)."""

from typing import Any

import pytest
from django.test import Client

from games import services
from games.links import LinkedDecision, answer_token, seat_token
from games.models import Game, Proposal, Seat, Table
from tests.games.playing import begin_game, decision_of, play_to_the_end, play_until

pytestmark = pytest.mark.django_db


def read(client: Client, path: str) -> str:
    return client.get(path, follow=True).content.decode()


def press(client: Client, path: str, **form: str) -> str:
    return client.post(path, form, follow=True).content.decode()


@pytest.fixture
def clients(people: list[Any], signed_in: Any) -> list[Client]:
    return [signed_in(person) for person in people]


def test_a_game_is_ended_from_its_page(game: Game, clients: list[Client]) -> None:
    anna, bruno, carla = clients
    path = f"/games/{game.pk}/"
    page = press(anna, f"{path}end/", result="none")
    assert "You made a proposal. The others have to agree." in page
    assert "You propose to end this game now." in page
    assert "Withdraw the proposal" in page
    answer = f"{path}end/{Proposal.objects.get().pk}/"
    assert "Anna proposes to end this game now." in read(bruno, path)
    assert "Then no one wins." in read(bruno, path)
    page = press(bruno, answer, action="accept")
    assert "Agreed so far: Anna and you" in page
    assert "Agree: end the game" not in page
    page = press(carla, answer, action="accept")
    assert "Everyone agreed to end the game. No one wins." in page
    assert "Everyone agreed to end the game. No one wins." in press(carla, answer, action="accept")
    assert "End or leave this game" not in read(carla, f"{path}arrangements/")
    assert "Choose the region" not in page
    assert "Waiting for" not in page


def test_one_refuses_and_the_game_goes_on(game: Game, clients: list[Client]) -> None:
    press(clients[0], f"/games/{game.pk}/end/", result="most regions")
    answer = f"/games/{game.pk}/end/{Proposal.objects.get().pk}/"
    assert "The proposal is closed. The game goes on." in press(clients[1], answer, action="refuse")
    assert "That proposal was refused or withdrawn." in press(clients[2], answer, action="accept")
    assert "proposes to end" not in read(clients[2], f"/games/{game.pk}/")


@pytest.mark.parametrize("result", ["", "most", "x" * 1000])
def test_a_result_that_there_is_not_is_refused(game: Game, clients: list[Client], result: str) -> None:
    assert "Choose one of the results on the page." in press(
        clients[0], f"/games/{game.pk}/end/", result=result
    )
    assert not Proposal.objects.exists()


@pytest.mark.long
def test_an_answer_that_there_is_not_is_refused(game: Game, clients: list[Client]) -> None:
    press(clients[0], f"/games/{game.pk}/end/", result="none")
    answer = f"/games/{game.pk}/end/{Proposal.objects.get().pk}/"
    assert "Choose one of the answers on the page." in press(clients[1], answer, action="perhaps")


def test_a_proposal_of_another_game_is_not_found(
    game: Game, people: list[Any], clients: list[Client]
) -> None:
    elsewhere = begin_game(people)
    press(clients[0], f"/games/{elsewhere.pk}/end/", result="none")
    answer = f"/games/{game.pk}/end/{Proposal.objects.get().pk}/"
    assert clients[1].post(answer, {"action": "accept"}).status_code == 404


def test_a_seat_is_given_up_from_the_page_once(game: Game, clients: list[Client]) -> None:
    path = f"/games/{game.pk}/give-up/"
    assert "A bot plays on." in press(clients[0], path)
    assert "You have no seat in that game." in press(clients[0], path)
    assert clients[0].get(f"/games/{game.pk}/").status_code == 404
    page = read(clients[1], f"/games/{game.pk}/?open=log")
    assert "Anna left, and Sforza (bot) took the seat." in page
    assert Seat.objects.people().count() == 2


def test_no_bot_is_said_to_play_on_when_the_last_player_leaves(game: Game, clients: list[Client]) -> None:
    path = f"/games/{game.pk}/give-up/"
    for client in clients[:2]:
        assert "A bot plays on." in press(client, path)
    page = press(clients[2], path)
    assert "With that, the game has ended." in page
    assert "A bot plays on." not in page


def test_an_old_emails_link_dies_with_the_seat(game: Game, people: list[Any]) -> None:
    decision = decision_of(game)
    link = answer_token(
        LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    )
    assert Client().get(f"/answer/{link}/").status_code == 200
    services.give_up(Seat.objects.get(number=decision.seat))
    assert Client().get(f"/answer/{link}/").status_code == 404


@pytest.mark.long
def test_lists_log_history_and_record_tell_the_end(game: Game, clients: list[Client]) -> None:
    Table.objects.update(watch=Table.Watch.ANYONE)
    Game.objects.update(anyone_watches=True)
    play_until(game, lambda state, decision: state.ply > 60)
    services.give_up(Seat.objects.get(number=0))
    proposal = services.propose_end(Seat.objects.get(number=1), game, Proposal.What.MOST_REGIONS)
    services.accept_proposal(Seat.objects.get(number=2), proposal)
    game.refresh_from_db()
    said = "Everyone agreed to end the game. "
    pages = ("/games/", f"/games/{game.pk}/", f"/games/{game.pk}/history/{game.ply}/")
    assert all(said in read(clients[1], path) for path in pages)
    assert said not in read(clients[1], f"/games/{game.pk}/history/{game.ply - 1}/")
    change = game.seat_changes.get()
    told = "Anna left, and Sforza (bot) took the seat."
    assert told in read(clients[1], f"/games/{game.pk}/history/{min(change.ply + 1, game.ply)}/")
    watched = read(Client(), f"/watch/{game.table.watch_key}/")
    assert said in watched
    assert watched.index(told) < watched.rindex(said)
    assert '"ended": "agreement"' in read(clients[1], f"/games/{game.pk}/record.json")
    assert "/watch/" in read(Client(), "/watch/")
    assert clients[1].get(f"/games/{game.pk}/proof/").status_code == 200


def test_a_game_that_is_over_offers_no_way_out(game: Game, clients: list[Client]) -> None:
    play_to_the_end(game)
    assert "End or leave this game" not in read(clients[0], f"/games/{game.pk}/arrangements/")
    assert "The game is over." in press(clients[0], f"/games/{game.pk}/give-up/")
    assert "The game is over." in press(clients[0], f"/games/{game.pk}/end/", result="none")


def test_an_emails_link_agrees_without_signing_in(
    game: Game, clients: list[Client], people: list[Any]
) -> None:
    press(clients[0], f"/games/{game.pk}/end/", result="most regions")
    proposal = Proposal.objects.get()
    for person in people[1:]:
        link = f"/seat/{seat_token(Seat.objects.get(table=game.table, user=person))}/"
        assert "Anna proposes to end this game now." in read(Client(), link)
        press(Client(), link, action="accept", proposal=str(proposal.pk))
    game.refresh_from_db()
    assert game.ended == "agreement"
    for wrong in ("", "x", "9" * 30, str(proposal.pk)):
        assert press(Client(), link, action="refuse", proposal=wrong)
    game.refresh_from_db()
    assert game.ended == "agreement"
