"""What a program reads with a person's token: exactly what the person's pages show."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import ApiToken, User
from condottiere_site.api import openapi
from condottiere_site.api_requests import Limits
from games.models import Game, Seat
from games.models.replay import replayed
from games.rules import Observation, observe
from games.selectors.waiting import MOST_WAITING
from games.services import lobby
from tests.api.asking import Program, told
from tests.games.playing import answer, begin_game, decision_of, legal_texts, play_to_the_end, seat_table
from tests.people import all_proven

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


@pytest.fixture
def game(people: list[User]) -> Game:
    return begin_game(people)


def asked_person(game: Game, people: list[User]) -> User:
    return people[decision_of(game).seat]


def test_a_program_learns_for_whom_it_acts(people: list[User]) -> None:
    me = told(Program(people[0]).get("me"))
    assert (me["name"], me["scopes"]) == ("Anna", ["read", "play", "chat"])


def test_a_game_is_seen_as_ones_seat_observes_it(game: Game, people: list[User]) -> None:
    for number, person in enumerate(people):
        seen = told(Program(person).get(f"games/{game.pk}"))
        observed = observe(replayed(game).state, number)
        assert set(seen["observation"]) == {field.name for field in fields(Observation)}
        assert tuple(seen["observation"]["hand"]) == observed.hand
        assert [move["move"] for move in seen["moves"]] == [str(move) for move in observed.legal]
        assert (seen["decision"] is None) == (observed.asked is None)
        for move in seen["moves"]:
            assert move["name"]


def test_what_waits_for_someone_is_what_their_page_lists(game: Game, people: list[User]) -> None:
    asked = asked_person(game, people)
    (row,) = told(Program(asked).get("waiting"))
    assert (row["kind"], row["id"]) == ("game", game.pk)
    others = [person for person in people if person != asked]
    assert [told(Program(person).get("waiting")) for person in others] == [[], []]


def test_what_waits_costs_as_many_statements_for_many_games_as_for_few(
    people: list[User], long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "TABLES_A_DAY", 2000)

    def statements(games: int) -> int:
        for _game in range(games - Game.objects.count()):
            begin_game(people)
        asked = Seat.objects.filter(asked_since__isnull=False).values_list("user", flat=True)
        assert set(asked) == {people[0].pk}
        with CaptureQueriesContext(connection) as captured:
            assert len(told(program.get("waiting"))) == min(games, MOST_WAITING)
        return len(captured)

    program = Program(people[0])
    program.get("waiting")
    few = statements(10)
    assert statements(1000 if long else 30) == few
    assert few <= 12


def test_lists_of_games_and_what_became_of_them(game: Game, people: list[User]) -> None:
    program = Program(people[0])
    (row,) = told(program.get("games"))
    assert (row["id"], row["players"], row["seat"], row["is_over"]) == (
        game.pk,
        ["Anna", "Bruno", "Carla"],
        0,
        False,
    )
    assert told(program.get("games", {"state": "finished"})) == []
    assert told(program.get(f"games/{game.pk}/history"), 404)["code"] == "not-found"
    assert told(program.get(f"games/{game.pk}/record"), 404)["code"] == "not-found"
    play_to_the_end(game)
    assert told(program.get("games")) == []
    (row,) = told(program.get("games", {"state": "finished"}))
    assert row["is_over"]
    assert row["result"]
    history = told(program.get(f"games/{game.pk}/history"))
    assert len(history) == game.log.count()
    record = told(program.get(f"games/{game.pk}/record"))
    page = program.client
    page.force_login(people[0])
    assert record == json.loads(page.get(f"/games/{game.pk}/record.json").content)


def test_news_since_a_step_are_the_last_sentences_of_all_news(game: Game, people: list[User]) -> None:
    program = Program(people[0])
    before = told(program.get(f"games/{game.pk}/news"))
    decision = decision_of(game)
    answer(game, legal_texts(game)[0])
    everything = told(program.get(f"games/{game.pk}/news"))
    new = told(program.get(f"games/{game.pk}/news", {"since": before["step"]}))
    assert new["sentences"]
    assert everything["sentences"][-len(new["sentences"]) :] == new["sentences"]
    assert new["step"] > decision.decision_step


def test_strangers_get_the_same_answer_as_for_what_does_not_exist(game: Game) -> None:
    stranger = Program(all_proven({"dario@example.org": "Dario"})[0])
    for path in ("games/{}", "games/{}/news", "games/{}/history", "games/{}/record"):
        answers = {stranger.get(path.format(number)).content for number in (game.pk, 10**15)}
        assert len(answers) == 1
    assert stranger.get(f"tables/{game.table_id}").content == stranger.get("tables/999999").content


def test_a_session_says_nothing_to_the_interface(game: Game, people: list[User]) -> None:
    client = Client()
    client.force_login(people[0])
    assert client.get("/games/").status_code == 200
    assert told(client.get("/api/v1/me"), 401)["code"] == "no-token"
    assert told(client.get(f"/api/v1/games/{game.pk}"), 401)["code"] == "no-token"
    assert client.get("/games/").status_code == 200  # and the person stays signed in


def test_an_answer_that_has_not_changed_is_empty(game: Game, people: list[User]) -> None:
    program = Program(people[0])
    first = program.get(f"games/{game.pk}")
    again = program.get(f"games/{game.pk}", **{"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    answer(game, legal_texts(game)[0])
    assert program.get(f"games/{game.pk}", **{"If-None-Match": first["ETag"]}).status_code == 200
    head = program.client.head(f"/api/v1/games/{game.pk}", headers=program.headers)
    assert (head.status_code, head.content) == (200, b"")


def test_pages_of_other_sites_may_read_and_not_write() -> None:
    program = Program()
    assert program.get("tables")["Access-Control-Allow-Origin"] == "*"
    asked = program.client.options("/api/v1/games/1/moves", headers={"Origin": "https://example.org"})
    assert asked["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert "Access-Control-Allow-Origin" not in program.post("tables", {})


def test_a_reader_gets_problems_in_their_language(people: list[User]) -> None:
    User.objects.filter(pk=people[0].pk).update(language="pl")
    in_polish = Program(people[0]).get("games/1")
    assert in_polish["Content-Language"] == "pl"
    assert told(in_polish, 404)["code"] == "not-found"


def test_open_tables_need_no_token_and_ones_own_table_does(people: list[User]) -> None:
    table = seat_table(people, size=4, entry="open")
    (row,) = told(Program().get("tables"))
    assert (row["id"], row["free"], row["host"]) == (table.pk, 1, "Anna")
    assert told(Program().get(f"tables/{table.pk}"), 401)
    seen = told(Program(people[1]).get(f"tables/{table.pk}"))
    assert [seat["is_yours"] for seat in seen["seats"]] == [False, True, False]


def test_ones_own_tables_are_those_without_a_game_yet(people: list[User], game: Game) -> None:
    hidden = seat_table(people[:2], size=4, entry="invitation")
    seat_table(people[2:], size=4, entry="open")
    (row,) = told(Program(people[1]).get("me/tables"))
    assert (row["id"], row["free"], row["host"]) == (hidden.pk, 2, "Anna")
    assert row["page"].endswith(f"/tables/{hidden.pk}/")
    assert told(Program().get("me/tables"), 401)


def test_lists_cost_as_many_statements_for_many_rows_as_for_few(people: list[User]) -> None:
    program, no_one = Program(people[0]), Program()
    lists = (no_one, "tables"), (program, "me/tables"), (program, "games"), (no_one, "watch")

    def statements() -> list[int]:
        seat_table(people, size=4, entry="open")
        begin_game(people, watch="anyone")
        found = []
        for asked, path in lists:
            with CaptureQueriesContext(connection) as captured:
                assert told(asked.get(path))
            found.append(len(captured))
        return found

    statements()
    few = statements()
    assert statements() == few
    assert max(few) <= 10


def test_every_request_says_how_many_are_left(people: list[User], monkeypatch: Any) -> None:
    monkeypatch.setattr("condottiere_site.api_requests.WITH_TOKEN", Limits(a_day=2, a_minute=60))
    program = Program(people[0])
    with time_machine.travel(NOON, tick=False):
        left = [program.get("me")["RateLimit"] for _ in range(2)]
        assert left == ['"minute";r=59;t=1, "day";r=1;t=43200', '"minute";r=58;t=2, "day";r=0;t=43200']
        refused = program.get("me")
        assert told(refused, 429)["code"] == "too-many"
        assert refused["Retry-After"] == "43200"
        assert told(Program(people[0]).get("me"))  # another token of theirs


def test_a_flood_is_held_back_until_a_request_is_free_again(people: list[User], monkeypatch: Any) -> None:
    monkeypatch.setattr("condottiere_site.api_requests.WITH_TOKEN", Limits(a_day=100, a_minute=4))
    program = Program(people[0])

    def asked(times: int) -> list[int]:
        return [program.get("me").status_code for _ in range(times)]

    with time_machine.travel(NOON, tick=False) as clock:
        assert asked(6) == [200, 200, 200, 200, 429, 429]
        refused = program.get("me")
        assert (refused["Retry-After"], told(refused, 429)["code"]) == ("15", "too-many")
        clock.shift(timedelta(seconds=15))
        assert asked(2) == [200, 429]
        clock.shift(timedelta(seconds=60))
        assert asked(5) == [200, 200, 200, 200, 429]
        assert '"day";r=91;' in program.get("me")["RateLimit"]  # refused ones are not counted


def test_requests_without_a_token_have_limits_of_their_own(monkeypatch: Any) -> None:
    monkeypatch.setattr("condottiere_site.api_requests.WITHOUT_TOKEN", Limits(a_day=100, a_minute=2))
    with time_machine.travel(NOON, tick=False):
        assert [Program().get("tables").status_code for _ in range(3)] == [200, 200, 429]


def test_what_is_wrong_with_a_request_is_said_in_the_readers_language(people: list[User], game: Game) -> None:
    wrong = {"step": "x", "and": 1, "order": {"kind": "fight", "cards": [], "limit": -1}}
    sentences = {}
    for language in ("en", "pl", "ru"):
        User.objects.filter(pk=people[0].pk).update(language=language)
        errors = told(Program(people[0]).post(f"games/{game.pk}/moves", wrong), 422)["errors"]
        sentences[language] = {one["field"]: one["detail"] for one in errors}
    fields = {"step", "and", "move", "order.fight.cards", "order.fight.limit"}
    assert set(sentences["en"]) == set(sentences["ru"]) == fields
    assert sentences["en"]["step"] == "Enter a whole number."
    assert sentences["en"]["move"] == "This field is missing."
    for language in ("pl", "ru"):
        assert sentences[language]["step"] != sentences["en"]["step"]


def test_the_schema_describes_every_field_of_an_observation() -> None:
    described = openapi()["components"]["schemas"]["Observation"]["properties"]
    assert set(described) == {field.name for field in fields(Observation)}


def test_the_guide_lists_every_request() -> None:
    page = Client().get("/api/").content.decode()
    for path, methods in openapi()["paths"].items():
        for method in methods:
            assert f"{method.upper()} {path}" in page
    for name in openapi()["components"]["schemas"]:
        assert f'<h3 id="{name}">' in page
    linked = set(re.findall(r'href="#(\w+)"', page)) - {"main"}
    assert linked <= set(openapi()["components"]["schemas"])
    assert "20,000 requests a day" in page
    assert Client().get("/api/v1/openapi.json").json()["openapi"].startswith("3.")


def test_the_guide_names_the_limits_that_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("condottiere_site.api_requests.WITH_TOKEN", Limits(a_day=12_345, a_minute=3))
        assert "12,345 requests a day" in Client().get("/api/").content.decode()
    assert "20,000 requests a day" in Client().get("/api/").content.decode()


def test_a_token_notes_the_day_and_nothing_finer(people: list[User]) -> None:
    program = Program(people[0])
    program.get("me")
    token = ApiToken.objects.get()
    assert token.used_on is not None
    assert not hasattr(token.used_on, "hour")
    assert Seat.objects.count() == 0
