"""Private channels and deals for programs: begun, answered and read where pages would do it."""

from __future__ import annotations

import pytest

from accounts.models import User
from games.chat.models import Channel, Deal, Message
from games.models import Game
from tests.api.asking import Program, told
from tests.games.playing import begin_game, play_to_the_end
from tests.people import all_proven

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


@pytest.fixture
def programs(people: list[User]) -> list[Program]:
    return [Program(person) for person in people]


@pytest.fixture
def game(people: list[User]) -> Game:
    return begin_game(people, watch="link", spectators_read=True)


def test_a_private_channel_begins_once_with_its_first_message(game: Game, programs: list[Program]) -> None:
    path = f"tables/{game.table_id}/channels"
    begun = {"seats": [1], "text": "Between us."}
    for _twice in range(2):
        channel = told(programs[0].post(path, begun))
        assert (channel["is_private"], channel["newest"], channel["opening"]) == (True, 1, None)
    again = told(programs[1].post(path, {"seats": [0], "text": "Yes.", "after": 1}))
    assert (again["slug"], again["newest"]) == (channel["slug"], 2)
    assert [one["slug"] for one in told(programs[1].get(path))] == ["table", channel["slug"]]
    assert [one["slug"] for one in told(programs[2].get(path))] == ["table"]
    assert (Channel.objects.filter(kind="private").count(), Message.objects.count()) == (1, 2)


def test_a_channel_that_cannot_begin_leaves_nothing_behind(game: Game, programs: list[Program]) -> None:
    path = f"tables/{game.table_id}/channels"
    for body in (
        {"seats": [], "text": "x"},
        {"seats": [0], "text": "x"},
        {"seats": [5], "text": "x"},
        {"seats": [2**70], "text": "x"},
        {"seats": ["1x"], "text": "x"},
        {"seats": [1], "text": " "},
        {"seats": [1], "text": "x", "and": 1},
        {"seats": [1]},
    ):
        problem = told(programs[0].post(path, body), 422)
        assert (problem["code"], bool(problem["errors"])) == ("bad-input", True), body
    assert told(programs[0].post(path, "{"), 400)["code"] == "bad-json"
    stranger = Program(all_proven({"dario@example.org": "Dario"})[0])
    assert told(stranger.post(path, {"seats": [1], "text": "x"}), 404)
    assert told(Program().post(path, {"seats": [1], "text": "x"}), 401)
    assert not Channel.objects.exists()


def test_a_channel_becomes_public_when_everyone_in_it_agrees_after_the_end(
    game: Game, programs: list[Program]
) -> None:
    path = f"tables/{game.table_id}/channels"
    slug = told(programs[0].post(path, {"seats": [1], "text": "Between us."}))["slug"]
    opening = f"{path}/{slug}/opening"
    assert told(programs[0].post(opening, {"agrees": True}), 409)["code"] == "refused"
    play_to_the_end(game)
    assert told(programs[2].post(opening, {"agrees": True}), 404)
    for agrees in (True, False, True, True):
        channel = told(programs[0].post(opening, {"agrees": agrees}))
        assert channel["opening"]["has_agreed"] == agrees
    assert told(programs[2].get(f"{path}/{slug}/messages"), 404)
    assert "Anna" in told(programs[1].get(path))[-1]["opening"]["agreed"]
    assert told(programs[1].post(opening, {"agrees": True}))["opening"] is None
    assert told(programs[2].get(f"{path}/{slug}/messages"))[0]["text"] == "Between us."
    assert told(programs[0].post(opening, {"agrees": False}), 409)


DEAL = {
    "seats": [1],
    "text": "Leave me **Roma**.",
    "promises": [{"seat": 1, "kind": "no attack", "region": "roma"}, {"seat": 0, "kind": "passes"}],
    "after": 0,
}


def test_a_deal_is_proposed_once_answered_and_in_force(game: Game, programs: list[Program]) -> None:
    anna, bruno, carla = programs
    path = f"tables/{game.table_id}"
    for _twice in range(2):
        deal = told(anna.post(f"{path}/channels/table/deals", DEAL))
    assert (deal["channel"], deal["number"], deal["outcome"]) == ("table", 1, "proposed")
    assert (deal["text"], deal["actions"], len(deal["promises"])) == ("Leave me **Roma**.", ["withdraw"], 2)
    assert Deal.objects.count() == 1
    (seen,) = told(bruno.get(f"{path}/deals"))
    assert seen["actions"] == ["accept", "decline"]
    assert told(carla.get(f"{path}/deals"))[0]["actions"] == []
    answer = f"{path}/channels/table/deals/1/answer"
    assert told(carla.post(answer, {"action": "accept"}), 409)["code"] == "refused"
    for _twice in range(2):
        assert told(bruno.post(answer, {"action": "accept"}))["outcome"] == "standing"
    assert told(anna.post(answer, {"action": "withdraw"}), 409)
    judged = told(bruno.post(answer, {"action": "broken"}))
    assert (judged["outcome"], len(judged["verdicts"])) == ("broken", 1)
    assert told(Program().get(f"watch/{game.table.watch_key}/deals"))[0]["actions"] == []


def test_deals_of_a_private_channel_are_read_by_its_people(game: Game, programs: list[Program]) -> None:
    anna, bruno, carla = programs
    path = f"tables/{game.table_id}"
    before = carla.get(f"{path}/deals")
    slug = told(anna.post(f"{path}/channels", {"seats": [1], "text": "Between us."}))["slug"]
    told(anna.post(f"{path}/channels/{slug}/deals", DEAL))
    assert told(bruno.get(f"{path}/deals"))[0]["channel"] == slug
    after = carla.get(f"{path}/deals")
    assert (told(after), after["ETag"]) == ([], before["ETag"])
    assert told(carla.post(f"{path}/channels/{slug}/deals/1/answer", {"action": "accept"}), 404)
    assert told(carla.post(f"{path}/channels/{slug}/deals", DEAL), 404)
    assert told(Program().get(f"watch/{game.table.watch_key}/deals")) == []
    play_to_the_end(game)
    (seen,) = told(carla.get(f"{path}/deals"))
    assert (seen["channel"], seen["text"], seen["actions"]) == ("", DEAL["text"], [])


def test_a_deal_that_cannot_be_proposed_changes_nothing(game: Game, programs: list[Program]) -> None:
    path = f"tables/{game.table_id}/channels/table/deals"
    promise = {"seat": 1, "kind": "no attack", "region": "roma"}
    for body, field in (
        (DEAL | {"seats": [0]}, "seats"),
        (DEAL | {"seats": [5]}, "seats"),
        (DEAL | {"text": ""}, "text"),
        (DEAL | {"text": "x" * 100_000}, "text"),
        (DEAL | {"until_number": 2**70}, "until_number"),
        (DEAL | {"promises": [promise | {"region": "paris"}]}, "promises.0.region"),
        (DEAL | {"promises": [promise | {"region": ""}]}, "promises.0.region"),
        (DEAL | {"promises": [promise | {"kind": "words"}]}, "promises.0.kind"),
        (DEAL | {"promises": [promise] * 5}, "promises"),
        (DEAL | {"and": 1}, "and"),
    ):
        problem = told(programs[0].post(path, body), 422)
        assert {one["field"] for one in problem["errors"]} == {field}, body
    for body in (
        DEAL | {"promises": [promise, promise]},
        DEAL | {"promises": [promise | {"seat": 2}]},
        DEAL | {"until": "battle", "until_number": 200, "seats": [1], "promises": [promise | {"seat": 2}]},
    ):
        assert told(programs[0].post(path, body), 409)["code"] == "refused", body
    assert told(programs[0].post(f"{path}/1/answer", {"action": "accept"}), 404)
    assert told(programs[0].post(f"{path}/1/answer", {"action": "eat"}), 422)
    assert not Deal.objects.exists()
    play_to_the_end(game)
    assert told(programs[0].post(path, DEAL), 409)["detail"]


def test_strangers_read_no_deals_by_a_tables_number(game: Game, programs: list[Program]) -> None:
    stranger = Program(all_proven({"dario@example.org": "Dario"})[0])
    assert told(stranger.get(f"tables/{game.table_id}/deals"), 404)
    assert told(Program().get(f"tables/{game.table_id}/deals"), 401)
    assert told(Program().get("watch/guessed/deals"), 404)
