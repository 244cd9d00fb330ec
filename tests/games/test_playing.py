"""The game page, and the moves that only its players make on it."""

import re
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts import clock
from accounts.mail import suppression
from accounts.mail.models import SuppressedAddress
from games import services
from games.models import Game, LogEntry
from games.rules import legal_moves, observe, parse_move, pending, prizes
from tests.games.playing import (
    answer,
    begin_game,
    decision_of,
    game_where,
    legal_texts,
    play_to_the_end,
    play_until,
    submit,
)

pytestmark = pytest.mark.django_db

NOT_TOLD = "Our emails do not reach you, so we can’t tell you when it’s your turn."


def page_of(client: Client, game: Game) -> str:
    return client.get(f"/games/{game.pk}/").content.decode()


def post_move(client: Client, game: Game, move: str, decision_step: int | str | None = None) -> Any:
    if decision_step is None:
        decision_step = decision_of(game).decision_step
    return client.post(f"/games/{game.pk}/move/", {"move": move, "decision_step": decision_step})


def test_the_asked_player_chooses_a_region(game: Game, asked: Any, signed_in: Any) -> None:
    client = signed_in(asked())
    page = page_of(client, game)
    assert "Choose a region to fight for." in page
    assert 'href="#fight-roma"' in page  # on the map, which leads to its button
    assert 'id="fight-roma"><button class="button" name="move" value="place roma"' in page
    assert "You can’t undo a move." in page
    assert game.log.count() == 1  # looking changed nothing
    response = post_move(client, game, "place roma")
    assert response["Location"] == f"/games/{game.pk}/#ask"
    assert game.log.last().move == "place roma"
    page = page_of(client, game)
    assert "You chose to fight for Roma." in page
    assert "The battle for Roma" in page


def test_a_player_who_gets_no_emails_is_not_promised_one(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    others = [person for seat, person in enumerate(people) if seat != decision_of(game).seat]
    others[0].frequency = "never"
    others[0].save()
    pages = [page_of(signed_in(person), game) for person in others]
    promised = "We’ll email you when it’s your turn."
    assert [promised in page for page in pages] == [False, True]
    assert "You have turned off turn emails" in pages[0]
    assert '<a href="/me/emails/preferences/">Turn emails on</a>' in pages[0]


def test_someone_whom_no_email_reaches_is_not_promised_one(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    others = [person for seat, person in enumerate(people) if seat != decision_of(game).seat]
    SuppressedAddress.objects.create(address=others[0].email)
    pages = [page_of(signed_in(person), game) for person in others]
    for words, promised in (("We’ll email you when it’s your turn.", False), (NOT_TOLD, True)):
        assert [words in page for page in pages] == [promised, not promised]
    SuppressedAddress.objects.update(since=clock.now() - suppression.RETRIED_AFTER)
    assert NOT_TOLD not in page_of(signed_in(others[0]), game)


def test_everyone_else_sees_who_is_waited_for(game: Game, people: list[Any], signed_in: Any) -> None:
    seat = decision_of(game).seat
    other = people[(seat + 1) % 3]
    page = page_of(signed_in(other), game)
    assert f"Waiting for: {people[seat].name}." in page
    assert 'name="move"' not in page


def test_a_stranger_and_an_anonymous_visitor_learn_nothing(game: Game, stranger: Any, signed_in: Any) -> None:
    client = signed_in(stranger)
    for path in ("", "history/0/", "record.json", "proof/"):
        assert client.get(f"/games/{game.pk}/{path}").status_code == 404
        assert client.get(f"/games/999999/{path}").status_code == 404
        assert Client().get(f"/games/{game.pk}/{path}")["Location"].startswith("/accounts/login/")
    assert post_move(client, game, "place roma").status_code == 404
    assert game.log.count() == 1
    for nothing in (999999, 2**70):  # the second is longer than a key may be
        posted = {"move": "place roma", "decision_step": 1}
        assert client.post(f"/games/{nothing}/move/", posted).status_code == 404


def test_someone_elses_turn_is_said_and_changes_nothing(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    decision = decision_of(game)
    other = people[(decision.seat + 1) % 3]
    response = post_move(signed_in(other), game, "place roma", decision.decision_step)
    assert response.status_code == 409
    assert "That turn is over. Nothing was changed." in response.content.decode()
    assert game.log.count() == 1


def test_a_move_that_cannot_be_is_answered_with_a_sentence(game: Game, asked: Any, signed_in: Any) -> None:
    client = signed_in(asked())
    for move, said in (
        ("place atlantis", "is not a move"),
        ("place", "is not a move"),
        ("", "Choose a move first."),
        ("x" * 100_000, "is not a move"),
        ("place roma\x00", "is not a move"),
        ("place roma ", "is not a move"),
        ("Place Roma", "is not a move"),
        ("<script>alert(1)</script>", "is not a move"),
        ("play 10", "isn’t possible now"),
        ("pass", "isn’t possible now"),
        ("shuffle 1 2 3", "Only the site shuffles."),
        ("💥 \u202e", "is not a move"),
    ):
        response = post_move(client, game, move)
        page = response.content.decode()
        assert response.status_code == 400
        assert said in page
        assert "<script>alert" not in page
        assert "Choose a region to fight for." in page  # the decision is still there to be answered
    assert game.log.count() == 1


def test_a_form_without_its_decision_plays_nothing(game: Game, asked: Any, signed_in: Any) -> None:
    client = signed_in(asked())
    for decision_step in ("", "x", "-1", "9" * 30, "1.0", "²"):
        assert post_move(client, game, "place roma", decision_step).status_code in {400, 409}
    assert game.log.count() == 1


def test_a_card_that_is_not_in_the_hand_is_refused(game: Game, people: list[Any], signed_in: Any) -> None:
    answer(game, "place roma")
    decision = decision_of(game)
    held = {text.split()[1] for text in legal_texts(game) if text.startswith("play")}
    missing = next(
        card for card in ("heroine", "winter", "spring", "surrender", "10", "6", "5") if card not in held
    )
    response = post_move(signed_in(people[decision.seat]), game, f"play {missing}")
    assert response.status_code == 400
    assert "That card isn’t in your hand." in response.content.decode()


def test_the_pope_protects_their_region_in_a_sentence(people: list[Any], signed_in: Any) -> None:
    def is_protected(state: Any, decision: Any) -> bool:
        return decision.kind == "place" and observe(state, None).pope is not None

    game, state = game_where(people, is_protected)
    pope = observe(state, None).pope
    client = signed_in(people[pending(state)[0].seat])
    response = post_move(client, game, f"place {pope}")
    assert response.status_code == 400
    assert "The Pope protects that region." in response.content.decode()


def test_a_decision_in_a_battle_that_could_end_the_game_says_so_above_the_hand(
    people: list[Any], signed_in: Any
) -> None:
    def is_decisive(state: Any, decision: Any) -> bool:
        seen = observe(state, None)
        return seen.phase == "battle" and seen.battle in prizes(seen)

    game, state = game_where(people, is_decisive)
    page = page_of(signed_in(people[pending(state)[0].seat]), game)
    assert page.count('<p class="prize">') == 1
    assert page.index('<p class="prize">') < page.index('id="hand"')


def test_a_bishop_asks_in_place_where_the_pope_goes(people: list[Any], signed_in: Any) -> None:
    def holds_bishop(state: Any, decision: Any) -> bool:
        return any(str(move).startswith("play bishop") for move in legal_moves(state, decision.seat))

    game, state = game_where(people, holds_bishop)
    decision = pending(state)[0]
    client = signed_in(people[decision.seat])
    page = page_of(client, game)
    assert "Where do you send the Pope?" in page
    assert "the Pope leaves the map" in page
    assert "the Pope goes to" in page
    target = next(
        text for text in legal_texts(game) if text.startswith("play bishop") and not text.endswith("off")
    )
    before = game.log.count()
    assert post_move(client, game, "play bishop").status_code == 400
    assert game.log.count() == before
    assert post_move(client, game, target).status_code == 302
    assert game.log.last().move == target


def test_the_same_move_twice_is_played_once_with_the_same_answer(
    game: Game, asked: Any, signed_in: Any
) -> None:
    client = signed_in(asked())
    decision_step = decision_of(game).decision_step
    first = post_move(client, game, "place roma", decision_step)
    second = post_move(client, game, "place roma", decision_step)
    assert (first.status_code, first["Location"]) == (second.status_code, second["Location"])
    assert game.log.count() == 2


def test_another_move_for_an_answered_decision_is_refused(game: Game, asked: Any, signed_in: Any) -> None:
    client = signed_in(asked())
    decision_step = decision_of(game).decision_step
    post_move(client, game, "place roma", decision_step)
    response = post_move(client, game, "place napoli", decision_step)
    assert response.status_code == 409
    assert "You have already made your move for that turn" in response.content.decode()
    assert game.log.count() == 2


def test_one_press_plays_a_card_for_those_who_want_that(people: list[Any], signed_in: Any) -> None:
    game, state = game_where(people, lambda state, decision: decision.kind == "battle")
    person = people[pending(state)[0].seat]
    client = signed_in(person)
    assert '<button class="play' not in page_of(client, game)
    person.plays_at_once = True
    person.save()
    page = page_of(client, game)
    assert '<button class="play' in page
    assert 'type="radio" name="pick" value="pass"' in page  # a pass is picked first, as ever


def test_pages_with_a_hand_are_never_stored(game: Game, asked: Any, signed_in: Any) -> None:
    response = signed_in(asked()).get(f"/games/{game.pk}/")
    assert response["Cache-Control"] == "no-store, private"
    assert response["Referrer-Policy"] == "same-origin"
    assert "noindex" in response["X-Robots-Tag"]


def test_the_column_copies_follow_the_log(game: Game) -> None:
    state = play_until(game, lambda state, decision: state.ply > 40, seed=3)
    assert (game.ply, game.step, game.phase) == (state.ply, state.step, state.phase)
    assert game.log.count() == state.ply
    open_decisions = {
        (seat.number, seat.pending_decision, seat.decision_step)
        for seat in game.table.seats.exclude(asked_since=None)
    }
    assert open_decisions == {(q.seat, str(q.kind), q.decision_step) for q in pending(state)}


def test_my_games_lists_what_waits_first(people: list[Any], signed_in: Any) -> None:
    games = [begin_game(people, name=f"Table {number}") for number in range(3)]
    person = people[decision_of(games[0]).seat]
    page = signed_in(person).get("/games/").content.decode()
    mine = [game for game in games if people[decision_of(game).seat] == person]
    waiting = page[page.index("Waiting for you") :]
    for game in games:
        assert game.table.name in page
    positions = [waiting.index(game.table.name) for game in mine]
    assert positions == sorted(positions)


def test_unnamed_log_lines_never_change(game: Game) -> None:
    answer(game, "place roma")
    before = list(LogEntry.objects.values_list())
    answer(game, "pass")
    assert list(LogEntry.objects.values_list())[: len(before)] == before


def test_a_secret_hand_decision_is_told_to_no_one_else(people: list[Any], signed_in: Any) -> None:
    game, state = game_where(people, lambda state, q: q.kind == "hand" and len(pending(state)) == 2)
    asked_seats = [decision.seat for decision in pending(state)]
    first = asked_seats[0]
    outsider = next(seat for seat in range(3) if seat != first)
    client = signed_in(people[outsider])
    with time_machine.travel(clock.now(), tick=False):  # signed addresses name the second
        before = re.sub(r'csrfmiddlewaretoken" value="[^"]*"|nonce-[\w+/=-]*', "", page_of(client, game))
        post_move(signed_in(people[first]), game, "keep hand", pending(state)[0].decision_step)
        assert game.log.last().move == "keep hand"
        after = re.sub(r'csrfmiddlewaretoken" value="[^"]*"|nonce-[\w+/=-]*', "", page_of(client, game))
    assert before == after
    assert "Their names stay secret" in page_of(signed_in(people[first]), game)


def test_a_finished_game_can_be_stepped_through_and_its_record_downloaded(
    game: Game, people: list[Any], signed_in: Any, stranger: Any
) -> None:
    client = signed_in(people[0])
    assert client.get(f"/games/{game.pk}/history/0/").status_code == 404
    assert client.get(f"/games/{game.pk}/record.json").status_code == 404
    assert bytes(game.table.secret).hex() not in client.get(f"/games/{game.pk}/proof/").content.decode()
    state = play_to_the_end(game)
    assert game.result is not None
    winner = people[game.result["winners"][0]].name
    told = "You won the game" if game.result["winners"] == [0] else f"{winner} won the game"
    assert told in page_of(client, game)
    for ply in range(0, state.ply + 1, 29):
        assert client.get(f"/games/{game.pk}/history/{ply}/").status_code == 200
    assert client.get(f"/games/{game.pk}/history/{state.ply + 1}/").status_code == 404
    proof = client.get(f"/games/{game.pk}/proof/").content.decode()
    assert "We have just checked this game." in proof
    assert bytes(game.table.secret).hex() in proof
    assert client.get(f"/games/{game.pk}/record.json")["Content-Type"].startswith("application/json")
    assert signed_in(stranger).get(f"/games/{game.pk}/history/0/").status_code == 404


def test_the_downloaded_record_is_verified_by_the_command_line(
    game: Game, people: list[Any], signed_in: Any, tmp_path: Any
) -> None:
    import json
    import subprocess
    import sys

    play_to_the_end(game, seed=4)
    record = signed_in(people[1]).get(f"/games/{game.pk}/record.json").content
    file = tmp_path / "game.json"
    file.write_bytes(record)
    ran = subprocess.run(
        [sys.executable, "-m", "games.rules", "verify", str(file)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, json.loads(ran.stdout)) == (0, {"record": 0, "ok": True, "proved": True})


def test_a_tampered_log_is_found_by_the_proof(game: Game, people: list[Any], signed_in: Any) -> None:
    play_to_the_end(game, seed=4)
    game.table.secret = b"x" * 32
    game.table.save()
    page = signed_in(people[1]).get(f"/games/{game.pk}/proof/").content.decode()
    assert "A check failed" in page


def test_namesakes_are_told_apart(anna: Any, bruno: Any, signed_in: Any) -> None:
    bruno.name = "anna"
    bruno.save()
    page = page_of(signed_in(anna), begin_game([anna, bruno]))
    assert "Anna (1)" in page
    assert "anna (2)" in page


def test_moves_are_refused_once_the_game_is_over(game: Game, people: list[Any], signed_in: Any) -> None:
    play_to_the_end(game)
    count = game.log.count()
    for person in people:
        assert post_move(signed_in(person), game, "pass", 3).status_code == 409
    assert game.log.count() == count


def test_the_rules_themselves_refuse_what_no_form_offers(game: Game) -> None:
    from games.rules import IllegalMove

    decision = decision_of(game)
    with pytest.raises(IllegalMove):
        submit(game, decision.seat, parse_move("pass"), decision.decision_step, "web")
    with pytest.raises(services.NotAsked):
        submit(game, decision.seat, parse_move("place roma"), decision.decision_step + 1, "web")
    assert game.log.count() == 1
