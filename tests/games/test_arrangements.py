"""A game's page of notes and options: its contents, for whom, and where its forms lead."""

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import clock
from games import services
from games.links import LinkedDecision, answer_token
from games.models import Game, Note, Proposal, Table
from games.services.absence import play_for_absent
from tests.games.playing import begin_game, decision_of, play_to_the_end
from tests.practice.playing_as_a_guest import begun

pytestmark = pytest.mark.django_db

MOST_QUERIES = 9


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def clients(people: list[Any], signed_in: Any) -> list[Client]:
    return [signed_in(person) for person in people]


@pytest.fixture
def game(people: list[Any]) -> Game:
    """A game with a clock; Anna is the host, anyone may watch, and seats of absent players are offered."""
    return begin_game(people, pace="day", watch="link", absent="offer")


def beside(game: Game) -> str:
    return f"/games/{game.pk}/arrangements/"


def read(client: Client, path: str) -> str:
    return unescape(client.get(path).content.decode())


def forms_of(page: str, game: Game) -> set[str]:
    """Return where the forms of a game's page lead, relative to the game's address."""
    return set(re.findall(rf'<form method="post" action="/games/{game.pk}/([^"]+)"', page))


def refused(client: Client, game: Game, path: str, **typed: str) -> str:
    answer = client.post(f"/games/{game.pk}/{path}", typed)
    assert answer.status_code == 400
    page = unescape(answer.content.decode())
    assert "<h1>Notes, pausing, handing over and ending</h1>" in page
    assert 'role="alert"' in page
    return page


def stays_away(game: Game, seat: int) -> None:
    play_for_absent(game, game.table.seats.get(number=seat), game.ply, clock.now())


def test_the_forms_one_seldom_needs_stand_on_a_page_of_their_own(game: Game, clients: list[Client]) -> None:
    seldom = {"note/", "time/", "end/", "hand-over/", "give-up/"}
    assert forms_of(read(clients[0], beside(game)), game) == seldom
    assert not forms_of(read(clients[0], f"/games/{game.pk}/"), game) & seldom


@pytest.mark.long
def test_the_games_page_leads_there_and_the_page_leads_back(game: Game, clients: list[Client]) -> None:
    for client in clients:
        link = f'<a href="{beside(game)}">Notes, pausing, handing over and ending</a>'
        assert link in read(client, f"/games/{game.pk}/")
        assert f'<a href="/games/{game.pk}/">{game.table.name}</a>' in read(client, beside(game))
        assert f'href="/games/{game.pk}/proof/"' in read(client, beside(game))


def test_the_watching_link_stands_there_for_the_host_alone(game: Game, clients: list[Client]) -> None:
    link = f"/watch/{game.table.watch_key}/"
    assert [link in read(client, beside(game)) for client in clients] == [True, False, False]
    Table.objects.update(watch="nobody")
    assert link not in read(clients[0], beside(game))


def test_no_one_else_finds_it(
    game: Game, clients: list[Client], people: list[Any], stranger: Any, signed_in: Any
) -> None:
    assert signed_in(stranger).get(beside(game)).status_code == 404
    assert Client().get(beside(game))["Location"].startswith("/accounts/login/")
    services.give_up(game.table.seats.get(user=people[1]))
    left = clients[1].get(beside(game))
    assert left.status_code == 404
    assert "You are no longer in this game" in left.content.decode()


def test_spectators_guests_and_emails_links_are_not_led_there(game: Game, people: list[Any]) -> None:
    decision = decision_of(game)
    link = answer_token(
        LinkedDecision(game.pk, decision.seat, people[decision.seat].pk, decision.decision_step)
    )
    for path in (f"/watch/{game.table.watch_key}/", f"/answer/{link}/", begun(Client())):
        answer = Client().get(path)
        assert answer.status_code == 200
        assert "arrangements" not in answer.content.decode()


def test_an_open_proposal_waits_on_the_games_page_and_is_named_here(
    game: Game, clients: list[Client]
) -> None:
    clients[1].post(f"/games/{game.pk}/time/", {"what": "pause", "how": "propose", "days": "3"})
    answer = f"end/{Proposal.objects.get().pk}/"
    for client in clients:
        assert answer in forms_of(read(client, f"/games/{game.pk}/"), game)
        page = read(client, beside(game))
        assert "There is already an open proposal." in page
        assert not forms_of(page, game) & {"time/", "end/", answer}


def test_the_host_who_decides_alone_may_do_so_while_a_proposal_waits(
    people: list[Any], clients: list[Client]
) -> None:
    game = begin_game(people, pace="day", time_by="host")
    clients[1].post(f"/games/{game.pk}/end/", {"result": "none"})
    pages = [read(client, beside(game)) for client in clients]
    assert ["time/" in forms_of(page, game) for page in pages] == [True, False, False]
    assert "Propose a pause" not in pages[0]
    assert "Propose more time" not in pages[0]


def test_the_pause_that_runs_is_ended_from_there(people: list[Any], clients: list[Client]) -> None:
    game = begin_game(people, pace="day", time_by="host")
    services.host_pauses(game, people[0], 3)
    assert f'<a href="{beside(game)}#pausing">End the pause</a>' in read(clients[0], f"/games/{game.pk}/")
    page = read(clients[0], beside(game))
    assert '<section id="pausing"' in page
    assert '<input type="hidden" name="what" value="go on">' in page


@pytest.mark.long
def test_an_offered_seat_is_told_on_both_pages_and_taken_back_here(game: Game, clients: list[Client]) -> None:
    offered = clients[0].post(f"/games/{game.pk}/hand-over/", {"email": "zoe@example.org"})
    assert offered["Location"] == beside(game)
    told = "zoe@example.org can take your seat until you withdraw the offer."
    for path in (f"/games/{game.pk}/", beside(game)):
        assert told in read(clients[0], path)
        assert told not in read(clients[1], path)
    assert "take-back/" in forms_of(read(clients[0], beside(game)), game)
    assert clients[0].post(f"/games/{game.pk}/take-back/")["Location"] == beside(game)
    assert told not in read(clients[0], f"/games/{game.pk}/")


def test_what_is_refused_comes_back_with_what_was_typed(game: Game, clients: list[Client]) -> None:
    page = refused(clients[0], game, "hand-over/", email="zoe at home")
    assert 'value="zoe at home"' in page
    page = refused(clients[0], game, "hand-over/", email="bruno@example.org")
    assert "bruno@example.org already has a seat at this table." in page
    assert 'value="bruno@example.org"' in page
    page = refused(clients[0], game, "time/", what="pause", how="propose", days="99")
    assert 'name="days" value="99"' in page
    assert 'name="hours" value="24"' in page
    page = refused(clients[0], game, "time/", what="more time", how="propose", hours="many")
    assert 'name="hours" value="many"' in page
    assert "Choose one of the results on the page." in refused(clients[0], game, "end/", result="me")


def test_an_address_for_an_absent_players_seat_comes_back_in_its_own_form(
    game: Game, clients: list[Client]
) -> None:
    asked = decision_of(game).seat
    seats = [game.table.seats.get(number=number) for number in (1, 2) if number != asked]
    for seat in seats:
        stays_away(game, seat.number)
    page = refused(clients[0], game, f"absent/{seats[0].pk}/", email="zoe at home")
    assert page.count('value="zoe at home"') == 1
    fields = re.findall(r'<input type="email"[^>]*id="([^"]+)"', page)
    assert len(fields) == len(set(fields)) == len(seats) + 1
    assert f'#absent">Offer this seat ({seats[0].person.name})</a>' in read(clients[0], f"/games/{game.pk}/")


def test_a_note_is_read_on_the_games_page_and_changed_on_the_other(game: Game, clients: list[Client]) -> None:
    assert "Your notes on this game" not in read(clients[0], f"/games/{game.pk}/")
    clients[0].post(f"/games/{game.pk}/note/", {"text": "Wait for <b>Winter</b>.\nThen Siena."})
    page = clients[0].get(f"/games/{game.pk}/").content.decode()
    assert "Wait for &lt;b&gt;Winter&lt;/b&gt;.\nThen Siena." in page
    assert f'<a href="{beside(game)}">Edit your notes</a>' in page
    assert "Wait for <b>Winter</b>.\nThen Siena.</textarea>" in read(clients[0], beside(game))


def test_a_long_note_is_cut_on_the_games_page_alone(game: Game, clients: list[Client]) -> None:
    clients[0].post(f"/games/{game.pk}/note/", {"text": "word " * 1900 + "the end"})
    page = read(clients[0], f"/games/{game.pk}/")
    assert "the end" not in page
    assert "Read and edit all your notes" in page
    assert "the end" in read(clients[0], beside(game))


def test_after_the_end_only_notes_remain(game: Game, clients: list[Client]) -> None:
    play_to_the_end(game)
    assert forms_of(read(clients[0], beside(game)), game) == {"note/"}
    assert beside(game) in read(clients[0], f"/games/{game.pk}/")
    clients[0].post(f"/games/{game.pk}/note/", {"text": "Never trust Carla."})
    assert Note.objects.get().text == "Never trust Carla."


def test_someone_who_stays_away_cannot_pause_but_leave(game: Game, clients: list[Client]) -> None:
    absent = next(number for number in (1, 2) if number != decision_of(game).seat)
    stays_away(game, absent)
    forms = forms_of(read(clients[absent], beside(game)), game)
    assert "give-up/" in forms
    assert "time/" not in forms


def test_the_page_asks_the_database_no_more_than_a_game_page_may(
    game: Game, clients: list[Client], people: list[Any]
) -> None:
    services.propose_end(game.table.seats.get(user=people[1]), game, Proposal.What.NONE)
    services.hand_over(game.table.seats.get(user=people[0]), "zoe@example.org")
    services.write_note(game, people[0], "Wait.")
    with CaptureQueriesContext(connection) as captured:
        assert clients[0].get(beside(game)).status_code == 200
    assert len(captured) <= MOST_QUERIES
