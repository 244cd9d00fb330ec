"""What a program does with a person's token, and what is refused; then nothing has changed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from accounts.clock import now
from accounts.models import ApiToken, User
from accounts.privacy import erase
from games.bots import choose
from games.models import Game, Seat, Table
from games.models.replay import replayed
from games.rules import observe
from tests.api.asking import Program, told
from tests.games.playing import begin_game, decision_of, play_to_the_end, seat_table
from tests.people import all_proven

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


@pytest.fixture
def game(people: list[User]) -> Game:
    return begin_game(people)


def asked_person(game: Game, people: list[User]) -> User:
    return people[decision_of(game).seat]


def first_move(program: Program, game: Game) -> dict[str, Any]:
    seen = told(program.get(f"games/{game.pk}"))
    return {"step": seen["decision"]["step"], "move": seen["moves"][0]["move"]}


def test_a_move_is_made_once_however_often_it_is_sent(game: Game, people: list[User]) -> None:
    program = Program(asked_person(game, people))
    move = first_move(program, game)
    first = told(program.post(f"games/{game.pk}/moves", move))
    entries = game.log.count()
    assert told(program.post(f"games/{game.pk}/moves", move)) == first
    assert game.log.count() == entries
    other = move | {"move": "place roma" if move["move"] != "place roma" else "place torino"}
    assert told(program.post(f"games/{game.pk}/moves", other), 409)["code"] == "already-played"
    assert game.log.count() == entries


def test_moves_that_cannot_be_made_change_nothing(game: Game, people: list[User]) -> None:
    asked = asked_person(game, people)
    program, other = Program(asked), Program(next(one for one in people if one != asked))
    move, before = first_move(program, game), list(game.log.values_list())
    path = f"games/{game.pk}/moves"
    cases: list[tuple[Program, Any, int, str]] = [
        (other, move, 409, "not-your-turn"),
        (program, move | {"step": move["step"] + 1}, 409, "not-your-turn"),
        (program, move | {"step": 2**70}, 422, "bad-input"),
        (program, move | {"step": -1}, 422, "bad-input"),
        (program, move | {"step": "x"}, 422, "bad-input"),
        (program, move | {"move": "play nonsense"}, 400, "not-a-move"),
        (program, move | {"move": "\u0000"}, 400, "not-a-move"),
        (program, move | {"move": "x" * 61}, 422, "bad-input"),
        (program, move | {"move": "play winter"}, 400, "illegal-move"),
        (program, move | {"and": 1}, 422, "bad-input"),
        (program, {"move": move["move"]}, 422, "bad-input"),
        (program, [], 422, "bad-input"),
        (program, "{", 400, "bad-json"),
        (program, b"\xff\xfe", 400, "bad-json"),
        (program, '{"step": 1, "move": "\\ud800"}', 422, "bad-input"),
        (program, move | {"order": {"kind": "fight", "cards": ["nothing"], "limit": 5}}, 400, ""),
        (program, move | {"order": {"kind": "none"}}, 422, "bad-input"),
    ]
    for who, body, status, code in cases:
        answer = told(who.post(path, body), status)
        assert not code or answer["code"] == code, (body, answer)
        assert answer["detail"]
    assert list(game.log.values_list()) == before


def test_a_token_does_only_what_it_allows(game: Game, people: list[User]) -> None:
    asked = asked_person(game, people)
    move = first_move(Program(asked), game)
    reader, player = Program(asked, ("read",)), Program(asked, ("play",))
    assert told(reader.post(f"games/{game.pk}/moves", move), 403)["code"] == "wrong-scope"
    assert told(player.get(f"games/{game.pk}"), 403)["code"] == "wrong-scope"
    assert told(player.get("tables"), 403)["code"] == "wrong-scope"
    assert told(player.post(f"games/{game.pk}/moves", move))


def test_a_token_that_is_wrong_old_removed_or_of_a_closed_account_does_nothing(people: list[User]) -> None:
    expired, removed, closed, erased = (
        Program(person) for person in (people[0], people[0], people[1], people[2])
    )
    rows = list(ApiToken.objects.filter(user=people[0]).order_by("pk"))
    ApiToken.objects.filter(pk=rows[0].pk).update(expires_at=now() - timedelta(seconds=1))
    rows[1].delete()
    User.objects.filter(pk=people[1].pk).update(is_active=False)
    erase(people[2])
    wrong = Program()
    wrong.headers["Authorization"] = "Bearer condottiere_guessed"
    basic = Program()
    basic.headers["Authorization"] = "Basic YTpi"
    for program in (expired, removed, closed, erased, wrong, basic):
        answer = program.get("me")
        assert told(answer, 401)["code"] == "wrong-token"
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert told(program.get("tables"), 401)
    assert not ApiToken.objects.filter(user=people[2]).exists()


def test_unknown_addresses_and_methods_are_problems(people: list[User]) -> None:
    program = Program(people[0])
    assert told(program.get("nothing"), 404)["code"] == "not-found"
    assert told(program.get("games/99999999999999999999999"), 404)["code"] == "not-found"
    refused = program.delete("me")
    assert told(refused, 405)["code"] == "wrong-method"
    assert refused["Allow"] == "GET"
    assert told(program.get("games", {"page": "0"}), 422)["code"] == "bad-input"
    assert told(program.get("games", {"page": str(2**70)}), 422)["code"] == "bad-input"
    assert told(program.get("games", {"state": "lost"}), 422)["code"] == "bad-input"


def test_a_game_is_played_through_the_interface(people: list[User]) -> None:
    """From an empty site: a table is made, joined and confirmed, and its game begun; its result is read.

    The example of the docs plays whole games (test_example_bot.py).
    """
    programs = [Program(person) for person in people[:2]]
    made = told(
        programs[0].post("tables", {"key": str(uuid4()), "name": "By programs", "size": 2, "entry": "open"})
    )
    (row,) = told(programs[1].get("tables"))
    assert row["id"] == made["id"]
    assert len(told(programs[1].post(f"tables/{made['id']}/seat"))["seats"]) == 2
    seen = [told(program.post(f"tables/{made['id']}/confirmation")) for program in programs][-1]
    number = seen["game"]
    assert seen["state"] == "playing"
    game = Game.objects.get(pk=number)
    for _move in range(20):
        decision = decision_of(game)
        move = choose("recruit", observe(replayed(game).state, decision.seat))
        sent = {"step": decision.decision_step, "move": str(move)}
        told(programs[decision.seat].post(f"games/{number}/moves", sent))
    assert not told(programs[0].get(f"games/{number}"))["is_over"]
    play_to_the_end(game)
    assert told(programs[0].get(f"games/{number}"))["is_over"]
    assert told(programs[1].get(f"games/{number}/record"))["result"]


def test_the_same_key_makes_one_table(people: list[User]) -> None:
    program, key = Program(people[0]), str(uuid4())
    body = {"key": key, "name": "Once", "settings": {"pace": "none", "edition": "1995"}}
    first = told(program.post("tables", body))
    assert first["edition"] == "1995"
    assert told(program.post("tables", body))["id"] == first["id"]
    assert Table.objects.count() == 1
    for settings in ({"no such": 1}, {"pace": "nonsense"}, {"form_key": key}):
        assert told(program.post("tables", body | {"key": str(uuid4()), "settings": settings}), 422)["errors"]
    assert Table.objects.count() == 1


def test_a_seat_is_taken_and_left_as_on_the_page(people: list[User]) -> None:
    table = seat_table(people[:1], size=3, entry="open")
    hidden = seat_table(people[:1], size=3, entry="invitation")
    bruno = Program(people[1])
    for _twice in range(2):
        assert len(told(bruno.post(f"tables/{table.pk}/seat"))["seats"]) == 2
    assert told(bruno.post(f"tables/{hidden.pk}/seat"), 404)
    for _twice in range(2):
        assert bruno.delete(f"tables/{table.pk}/seat").status_code == 204
    assert Seat.objects.filter(table=table).count() == 1
    assert told(Program(people[0]).delete(f"tables/{table.pk}/seat"), 409)["code"] == "refused"


def test_a_standing_order_is_given_and_withdrawn(game: Game, people: list[User]) -> None:
    asked = asked_person(game, people)
    program = Program(asked)
    step = told(program.get(f"games/{game.pk}"))["step"]
    body = {"step": step, "order": {"kind": "aside"}}
    assert told(program.post(f"games/{game.pk}/order", body), 409)["code"] == "stale-order"
    assert told(program.delete(f"games/{game.pk}/order"))["step"] == step
