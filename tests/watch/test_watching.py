"""Spectators a table, what spectators find there, and that they learn no more than the whole table
knows.
"""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import clock
from accounts.mail.delivery import deliver_due
from games import services
from games.chat.services import write
from games.forms.new_table import TableForm
from games.models import Game, Table
from games.models.replay import replayed
from games.narration.vocabulary import card_name
from games.rules import observe, parse_move, pending, read_record, verify
from tests.chat.chatting import main_of
from tests.games.playing import begin_game, game_where, play_to_the_end, play_until, seat_table, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


def address(table: Table, more: str = "") -> str:
    return f"/watch/{table.watch_key}/{more}"


def letting(game: Game, watch: str) -> Game:
    Table.objects.filter(pk=game.table_id).update(watch=watch)
    Game.objects.filter(pk=game.pk).update(anyone_watches=watch == Table.Watch.ANYONE)
    game.table.refresh_from_db()
    return game


def text_of(path: str, client: Client | None = None) -> str:
    answer = (client or Client()).get(path)
    assert answer.status_code == 200, path
    return answer.content.decode()


def test_a_table_that_says_nothing_lets_no_one_watch(anna: Any, signed_in: Any) -> None:
    form = {"name": "Ours", "size": "3", "entry": "open"}
    signed_in(anna).post("/tables/new/", form)
    table = Table.objects.get()
    assert table.watch == Table.Watch.NOBODY
    assert Client().get(address(table)).status_code == 404


@pytest.mark.parametrize("watch", ["link", "anyone"])
def test_the_host_chooses_who_may_watch_and_finds_the_link(anna: Any, signed_in: Any, watch: str) -> None:
    host = signed_in(anna)
    host.post("/tables/new/", {"name": "Ours", "size": "3", "entry": "open", "watch": watch})
    table = Table.objects.get()
    assert table.watch == watch
    assert address(table) in text_of(f"/tables/{table.pk}/", host)
    assert "The game has not started yet." in text_of(address(table))


def test_a_strange_choice_is_refused_and_what_was_typed_stays(anna: Any, signed_in: Any) -> None:
    answer = signed_in(anna).post(
        "/tables/new/", {"name": "Ours and yours", "size": "3", "entry": "open", "watch": "everything"}
    )
    assert answer.status_code == 400
    assert "Ours and yours" in answer.content.decode()
    assert not Table.objects.exists()


def test_each_choice_is_explained_in_the_form() -> None:
    page = str(TableForm(host_email="anna@example.org"))
    for words in ("No spectators", "spectator link", "Anyone: the game is listed", "never a hand"):
        assert words in page


def test_the_terms_say_who_may_watch_in_pages_and_emails(
    anna: Any, bruno: Any, signed_in: Any, mailoutbox: Any
) -> None:
    table = seat_table([anna], size=3, entry="open", watch="anyone")
    form = {"invited": "dario@example.org"}
    signed_in(anna).post(f"/tables/{table.pk}/invite/", form)
    deliver_due()
    assert "Watching: Anyone" in mailoutbox[0].body
    assert ">Watching</th>" in mailoutbox[0].alternatives[0][0]
    assert "Spectators" in text_of(f"/tables/{table.pk}/", signed_in(bruno))
    assert "Spectators" in text_of(f"/join/{table.join_key}/")


def test_only_the_host_is_shown_the_link(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="link")
    for path in (f"/games/{game.pk}/arrangements/", f"/tables/{game.table_id}/"):
        assert address(game.table) in text_of(path, signed_in(people[0]))
        assert address(game.table) not in text_of(path, signed_in(people[1]))


def test_no_link_is_shown_where_no_one_may_watch(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    for path in (f"/games/{game.pk}/arrangements/", f"/tables/{game.table_id}/"):
        assert game.table.watch_key not in text_of(path, signed_in(people[0]))


def test_a_spectator_sees_the_game_without_hand_or_form(people: list[Any]) -> None:
    game, state = game_where(people, lambda state, decision: state.phase == "battle" and state.ply > 12)
    page = text_of(address(letting(game, "link").table))
    main = main_of(page)
    assert "<form" not in main
    assert "Your hand" not in main
    assert "Waiting for" in main
    for person in people:
        assert person.name in main
    for region, _seat in observe(state, None).control:
        assert region.capitalize()[:4] in main


def test_dealt_cards_are_not_told_to_spectators(people: list[Any]) -> None:
    game, state = game_where(people, lambda state, decision: state.phase == "battle")
    page = text_of(address(letting(game, "link").table))
    # The help names all kinds of cards, no matter who holds them.
    for help_text in ('<details class="cards-of-game".*?</details>', r'class="help-words">[^<]*'):
        page, cut = re.subn(help_text, "", page, flags=re.DOTALL)
        assert cut
    lying = {card for line in observe(state, None).lines for card in line} | set(
        observe(state, None).discards
    )
    played = {entry.move.card for entry in replayed(game).plies}
    held = {card for seat in range(3) for card in observe(state, seat).hand or ()}
    hidden = {card for card in held - lying - played if not card.isdigit()}
    assert hidden
    for card in hidden:
        assert card_name(card) not in page


def test_a_wrong_key_and_another_tables_number_open_nothing(people: list[Any]) -> None:
    game = begin_game(people, watch="anyone")
    for key in ("x", str(game.pk), game.table.join_key, "%00", "a" * 500):
        for more in ("", "proof/", "record.json", "history/0/"):
            assert Client().get(f"/watch/{key}/{more}").status_code == 404


def test_the_tables_word_on_the_shuffles_stands_on_the_page_once(people: list[Any]) -> None:
    game = begin_game(people, watch="anyone")
    page = text_of(address(game.table, "?open=terms"))
    assert page.count("Show the commitment") == 1
    assert f'href="{address(game.table, "proof/")}"' in page


def test_the_past_stays_closed_while_the_game_runs(people: list[Any]) -> None:
    game = begin_game(people, watch="anyone")
    for more in ("history/0/", "record.json"):
        assert Client().get(address(game.table, more)).status_code == 404
    proof = text_of(address(game.table, "proof/"))
    assert game.table.commitment in proof
    assert bytes(game.table.secret).hex() not in proof


def test_after_the_end_a_spectator_steps_checks_and_downloads(people: list[Any]) -> None:
    game = begin_game(people, watch="link")
    assert "but no hands" in text_of(address(game.table))
    play_to_the_end(game)
    page = text_of(address(game.table))
    assert "no hands" not in page
    assert "you can now see every hand" in page
    for more in ("history/0/", "record.json", "proof/"):
        assert address(game.table, more) in page
    history = text_of(address(game.table, "history/3/"))
    assert "All hands" in history
    assert address(game.table, "history/4/") in history
    assert f"/games/{game.pk}/" not in history
    assert Client().get(address(game.table, f"history/{game.ply + 1}/")).status_code == 404
    assert "We have just checked this game." in text_of(address(game.table, "proof/"))
    checked = verify(read_record(json.loads(text_of(address(game.table, "record.json")))))
    assert checked.ok
    assert checked.proved


def test_players_step_at_addresses_of_their_own(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people)
    play_to_the_end(game)
    history = text_of(f"/games/{game.pk}/history/3/", signed_in(people[1]))
    assert f"/games/{game.pk}/history/4/" in history
    assert "/watch/" not in history.partition("<main")[2]


def test_what_anyone_may_watch_is_listed_with_the_players_names(people: list[Any], dario: Any) -> None:
    over = begin_game(people, name="The old one", watch="anyone")
    play_to_the_end(over)
    running = begin_game(people, name="The new one", watch="anyone")
    begin_game(people, name="By link", watch="link")
    begin_game(people, name="Our own", watch="nobody")
    seat_table([dario], name="Still gathering", size=3, watch="anyone")
    page = text_of("/watch/")
    assert page.index("The new one") < page.index("The old one")
    for words in ("By link", "Our own", "Still gathering"):
        assert words not in page
    assert "Anna, Bruno and Carla" in page
    assert "Won by" in page
    for game in (over, running):
        assert address(game.table) in page
    assert "/watch/" in text_of("/tables/")


def test_a_game_without_a_winner_is_listed_with_how_it_ended(people: list[Any]) -> None:
    game = begin_game(people, watch="anyone")
    assert "Last move:" in text_of("/watch/")
    for seat in game.table.seats.all():
        services.give_up(seat)
    page = text_of("/watch/")
    assert "The game was abandoned. No one wins." in page
    assert "Last move:" not in page


def test_the_lobby_shows_games_to_watch_a_finished_one_and_a_game_against_bots(people: list[Any]) -> None:
    empty = text_of("/tables/")
    assert 'action="/practice/' in empty
    assert "Replay the game" not in empty
    running = letting(begin_game(people, name="Friday table"), "anyone")
    finished = begin_game(people, name="Sunday table")
    play_to_the_end(finished)
    letting(finished, "anyone")
    secret = begin_game(people, name="Ours")
    page = text_of("/tables/")
    assert address(running.table) in page
    assert secret.table.name not in page
    replay = address(finished.table, "history/0/")
    assert f'href="{replay}">Replay the game' in page
    assert "all hands" in text_of(replay).lower()


def test_the_list_has_pages_and_costs_no_more_with_more_games(
    anna: Any, bruno: Any, django_assert_max_num_queries: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.views.spectating.GAMES_ON_A_PAGE", 8)
    for number in range(10):
        begin_game([anna, bruno], name=f"Game {number}", watch="anyone")
    with django_assert_max_num_queries(6):
        page = text_of("/watch/")
    assert "?page=2" in page
    assert "Game 0<" in text_of("/watch/?page=2")
    assert "Game 9<" in text_of("/watch/?page=nonsense")


def test_r17_a_secret_answer_makes_no_games_last_move_younger(people: list[Any], signed_in: Any) -> None:
    game, state = game_where(
        people, lambda state, decision: decision.kind == "hand" and len(pending(state)) == 2
    )
    letting(game, "anyone")
    first, _ = pending(state)
    (other,) = {0, 1, 2} - {decision.seat for decision in pending(state)}
    with time_machine.travel(clock.now() + timedelta(hours=5), tick=False):
        lists = [("/watch/", Client()), ("/games/", signed_in(people[other]))]
        before = [text_of(path, client).partition("<main")[2] for path, client in lists]
        assert address(game.table) in before[0]
        assert f"/games/{game.pk}/" in before[1]
        submit(game, first.seat, parse_move("keep hand"), first.decision_step, "web")
        assert [text_of(path, client).partition("<main")[2] for path, client in lists] == before


def test_a_player_who_follows_the_link_is_led_to_their_seat(
    people: list[Any], signed_in: Any, stranger: Any
) -> None:
    game = begin_game(people, watch="link")
    assert f'href="/games/{game.pk}/"' in text_of(address(game.table), signed_in(people[1]))
    assert f'href="/games/{game.pk}/"' not in text_of(address(game.table), signed_in(stranger))


def test_watching_writes_nothing_and_sends_no_address_elsewhere(people: list[Any]) -> None:
    game = begin_game(people, watch="link")
    play_until(game, lambda state, decision: state.ply > 30)
    with CaptureQueriesContext(connection) as captured:
        answer = Client().get(address(game.table))
    asked = {query["sql"].split()[0] for query in captured}
    assert asked == {"SELECT"}
    assert answer["Referrer-Policy"] == "same-origin"
    assert "noindex" in answer["X-Robots-Tag"]


def test_a_table_cancelled_says_so_to_spectators(anna: Any, signed_in: Any) -> None:
    table = seat_table([anna], size=3, watch="link")
    signed_in(anna).post(f"/tables/{table.pk}/cancel/")
    assert "cancelled this table" in text_of(address(table))


def test_spectators_read_the_chat_and_cannot_join_in(people: list[Any], signed_in: Any) -> None:
    game = begin_game(people, watch="link")
    signed_in(people[1]).post(f"/tables/{game.table_id}/chat/", {"text": "I shall win this one."})
    page = text_of(address(game.table))
    assert "I shall win this one." in page
    assert "<form" not in main_of(page)


@pytest.mark.parametrize("watch", ["link", "anyone"])
@pytest.mark.long
def test_spectators_read_all_that_was_said_a_page_at_a_time(people: list[Any], watch: str) -> None:
    game = begin_game(people, watch=watch)
    for number in range(45):
        write(game.table.seats.select_related("user")[number % 3], f"Message number {number} of many")
    seen, path, pages = list[str](), address(game.table), 0
    while path:
        page, pages = text_of(path), pages + 1
        assert "<form" not in main_of(page)
        seen = [*page.split("Message number ")[1:], *seen]
        earlier = re.search(r'href="([^"]+\?before=\d+)">Show earlier messages', page)
        path = earlier[1] if earlier else ""
    assert [int(line.split()[0]) for line in seen] == list(range(45))
    assert pages == 3
    assert f'href="{address(game.table, "chat/")}">Show the newest messages' in page
    assert f'href="{address(game.table)}"' in page


def test_a_spectators_pages_of_the_chat_are_read_only_and_kept_nowhere(
    people: list[Any], signed_in: Any
) -> None:
    game = begin_game(people, watch="link")
    path = address(game.table, "chat/")
    for client in (Client(), signed_in(people[1])):
        page = main_of(text_of(path, client))
        assert "There are no messages yet." in page
        assert "<form" not in page
        assert client.post(path, {"text": "I watch"}).status_code == 405
        assert client.head(path).status_code == 200
    with CaptureQueriesContext(connection) as captured:
        answer = Client().get(path)
    assert {query["sql"].split()[0] for query in captured} == {"SELECT"}
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "same-origin"
    assert "noindex" in answer["X-Robots-Tag"]
    for before in ("x", "-4", "9" * 40, "0"):
        assert Client().get(path, {"before": before}).status_code == 200


def test_the_watching_link_opens_the_chat_only_where_people_may_watch(people: list[Any]) -> None:
    game = begin_game(people)
    assert Client().get(address(game.table, "chat/")).status_code == 404
    assert Client().get("/watch/a-guess/chat/").status_code == 404


def test_the_chat_of_another_table_is_not_reached_from_a_watched_one(people: list[Any]) -> None:
    watched, other = begin_game(people, watch="link"), begin_game(people)
    hidden = write(other.table.seats.select_related("user").first(), "Between us")
    page = text_of(address(watched.table, f"chat/?before={hidden.pk + 1}"))
    assert "Between us" not in page
