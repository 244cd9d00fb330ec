"""Bad requests at every address that the schema names are problems, and change nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from django.utils import translation
from django.utils.translation import gettext as _

from accounts.models import User
from condottiere_site.api import openapi
from condottiere_site.api_requests import LARGEST
from games.bots import choose
from games.forms.arrangements import LONGEST_NOTE
from games.models import Game, LogEntry, Seat, Table
from games.models.replay import replayed
from games.rules import observe
from tests.api.asking import ALL, Program, told
from tests.games.playing import begin_game, decision_of
from tests.people import all_proven

pytestmark = pytest.mark.django_db
PLACES = {"slug": "table", "key": "guessed"}
TOO_LARGE = 2**70
NO_JSON = ("{", "]", b"\xff\xfe", '{"a": 1, "a": ', "nul")
HARD_TO_READ = ("", "NaN", "[" * 100_000, "1" * 5_000, "1e999", '{"a": ' * 40_000)
NOT_WANTED = ("[]", "null", "1", '"text"', '{"unknown": 1}', "[{}]")


@dataclass(frozen=True)
class Operation:
    """One request of the schema."""

    method: str
    path: str
    described: dict[str, Any]

    @property
    def parameters(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.described.get("parameters", [])
        return found

    @property
    def has_body(self) -> bool:
        return "requestBody" in self.described

    def ask(self, program: Program, body: Any = None, *, number: int = 1, query: str = "") -> Any:
        """Send it, with this number in each place for a number."""
        places = {one["name"]: PLACES.get(one["name"], number) for one in self.parameters}
        path = self.path.removeprefix("/api/v1/").format(**places) + query
        if self.method == "post":
            return program.post(path, body)
        return program.delete(path) if self.method == "delete" else program.get(path)


def operations() -> Iterator[Operation]:
    for path, methods in openapi()["paths"].items():
        for method, described in methods.items():
            yield Operation(method, path, described)


def needs_token(operation: Operation) -> bool:
    return {} not in operation.described["security"]


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


@pytest.fixture
def stored(people: list[User]) -> Iterator[None]:
    """A running game; after the test, nothing has been written to it or next to it."""
    game = begin_game(people)

    def rows() -> list[Any]:
        found = [list(model.objects.order_by("pk").values()) for model in (Table, Seat, Game, LogEntry)]
        return [*found, game.table.channels.count(), game.proposals.count()]

    before = rows()
    yield
    assert rows() == before


@pytest.mark.usefixtures("stored")
def test_numbers_beyond_64_bits_lead_nowhere(people: list[User]) -> None:
    program = Program(people[0])
    for one in operations():
        if "{" in one.path:
            answer = one.ask(program, {}, number=TOO_LARGE)
            numbered = any(parameter["name"] not in PLACES for parameter in one.parameters)
            assert answer.status_code == 404 or not numbered, one
        for parameter in one.parameters:
            if parameter["in"] == "query" and parameter["schema"]["type"] == "integer":
                for wrong in (TOO_LARGE, -1, "x", "1e3"):
                    problem = told(one.ask(program, query=f"?{parameter['name']}={wrong}"), 422)
                    assert [error["field"] for error in problem["errors"]] == [parameter["name"]]


@pytest.mark.usefixtures("stored")
def test_bodies_that_are_no_json_or_have_other_fields_are_problems(people: list[User], long: bool) -> None:
    """Each run tries all bodies at one request, and one of each kind at every other."""
    with_body = [one for one in operations() if one.has_body]
    assert len(with_body) >= 10
    for number, one in enumerate(with_body):
        program = Program(people[0])  # each has its own limit of requests
        count = None if long or number == 0 else 1
        for body in NO_JSON[:count]:
            assert told(one.ask(program, body), 400)["code"] == "bad-json", (one, body)
        for body in HARD_TO_READ[:count]:
            answer = one.ask(program, body)
            assert told(answer, answer.status_code)["code"] in ("bad-json", "bad-input"), (one, body[:10])
        for body in NOT_WANTED[:count]:
            problem = told(one.ask(program, body), 422)
            assert problem["code"] == "bad-input", (one, body)
            assert all(error["detail"] for error in problem["errors"])


@pytest.mark.usefixtures("stored")
def test_each_request_needs_its_scope_and_a_token_that_works(people: list[User]) -> None:
    scopes = {scope: Program(people[0], (scope,)) for scope in ALL}
    closed, no_one = Program(people[1]), Program()
    User.objects.filter(pk=people[1].pk).update(is_active=False)
    for one in operations():
        assert told(one.ask(closed, {}), 401)["code"] == "wrong-token"
        assert (one.ask(no_one, {}).status_code == 401) == needs_token(one)
        refused = [scope for scope, program in scopes.items() if one.ask(program, {}).status_code == 403]
        assert len(refused) == 2, (one, refused)


def test_repeated_and_reordered_requests_change_nothing(people: list[User], long: bool) -> None:
    programs, game, lot = [Program(person) for person in people[:2]], begin_game(people[:2]), Random(1)
    path, sent = f"games/{game.pk}/moves", []
    for _turn in range(1000 if long else 6):
        if (game := Game.objects.get(pk=game.pk)).is_over:
            break
        decision = decision_of(game)
        move = choose("recruit", observe(replayed(game).state, decision.seat))
        sent.append((programs[decision.seat], {"step": decision.decision_step, "move": str(move)}))
        told(sent[-1][0].post(path, sent[-1][1]))
        entries = game.log.count()
        for program, earlier in lot.sample(sent, min(2, len(sent))):
            again = program.post(path, earlier)
            assert told(again)["is_over"] == Game.objects.get(pk=game.pk).is_over
            others = next(one for one in programs if one is not program)
            assert told(others.post(path, earlier), 409)["code"] in ("not-your-turn", "already-played")
            later = earlier | {"step": earlier["step"] + 1000}
            assert told(program.post(path, later), 409)["code"] == "not-your-turn"
        assert game.log.count() == entries


@pytest.mark.parametrize("language", ["en", "pl", "ru"])
def test_problems_are_in_letters_of_the_readers_language(people: list[User], language: str) -> None:
    User.objects.filter(pk=people[0].pk).update(language=language)
    game, program = begin_game(people), Program(people[0])
    sent = program.post(f"games/{game.pk}/moves", {"step": "x"})
    no_such = program.get("games/1000000")
    with translation.override(language):
        said = _("The request has a missing, wrong or unknown field.")
        assert told(sent, 422)["detail"] == said
        assert told(no_such, 404)["detail"] == _("There is nothing here, or you may not see it.")
    assert said.encode() in sent.content


def test_half_a_character_in_a_request_breaks_no_answer(people: list[User]) -> None:
    game, program = begin_game(people), Program(people[0])
    for path, body in (
        (f"games/{game.pk}/moves", '{"step": 0, "move": "\\ud800"}'),
        (f"games/{game.pk}/note", '{"text": "\\ud800"}'),
        (f"tables/{game.table_id}/channels/table/messages", '{"text": "\\ud800", "after": 0}'),
        (f"tables/{game.table_id}/channels/table/sealed-notes", '{"text": "\\ud800", "opens": "game"}'),
        ("tables", '{"key": "3f1c1f0e-7d0b-4a7e-9a0a-1b1d1c1f1a11", "name": "\\ud800"}'),
        (f"tables/{game.table_id}/invitations", '{"email": "\\ud800@example.org"}'),
        (f"tables/{game.table_id}/words", '{"words": "\\ud800"}'),
    ):
        answer = program.post(path, body)
        assert answer.status_code < 500, (path, answer.content)
        answer.json()


def test_a_huge_body_is_refused_before_it_is_read(people: list[User]) -> None:
    """To say what is wrong with each of 100,000 fields would take seconds, and much memory."""
    game, program = begin_game(people), Program(people[0])
    settings = ", ".join(f'"field{number}": {{}}' for number in range(100_000))
    body = '{"key": "3f1c1f0e-7d0b-4a7e-9a0a-1b1d1c1f1a11", "name": "Huge", "settings": {' + settings + "}}"
    assert told(program.post("tables", body), 413)["code"] == "bad-request"
    smaller = body[:200_000].rpartition(",")[0] + "}}"
    problem = told(program.post("tables", smaller), 422)
    assert [error["field"] for error in problem["errors"]] == ["settings"]
    longest = {"text": "🦉" * LONGEST_NOTE}
    assert len(json.dumps(longest)) < LARGEST
    assert told(program.post(f"games/{game.pk}/note", json.dumps(longest)))["text"] == longest["text"]


def test_a_closed_accounts_token_stops_in_the_middle_of_a_game(people: list[User]) -> None:
    game, program = begin_game(people), Program(people[0])
    told(program.get(f"games/{game.pk}"))
    User.objects.filter(pk=people[0].pk).update(is_active=False)
    for path in ("note", "read", "time", "rematch", "proposals"):
        assert told(program.post(f"games/{game.pk}/{path}", {}), 401)["code"] == "wrong-token"
