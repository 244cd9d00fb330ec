"""What a program agrees on with others for its person: invitations, bots, the end of a game, a match."""

from __future__ import annotations

import pytest

from accounts.models import User
from games import services
from games.models import Game, Invitation, Proposal
from tests.api.asking import Program, told
from tests.games.playing import begin_game, play_to_the_end, seat_table
from tests.matches.playing import begin_match
from tests.people import all_proven

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


@pytest.fixture
def programs(people: list[User]) -> list[Program]:
    return [Program(person) for person in people]


def test_an_invitation_is_declined_once_and_can_still_be_taken(
    people: list[User], programs: list[Program]
) -> None:
    table = seat_table(people[:1], size=3, entry="invitation")
    services.invite(table, people[1].email)
    bruno, carla, path = programs[1], programs[2], f"tables/{table.pk}"
    assert told(bruno.get(path))["is_invited"]
    for _twice in range(2):
        assert bruno.delete(f"{path}/invitation").status_code == 204
    assert Invitation.objects.get().state == Invitation.State.DECLINED
    assert told(bruno.get("waiting")) == []
    assert told(carla.delete(f"{path}/invitation"), 404) == told(carla.get(path), 404)
    assert len(told(bruno.post(f"{path}/seat"))["seats"]) == 2
    assert told(bruno.delete(f"{path}/invitation"), 404)


def test_a_host_gives_seats_to_bots_and_plays(people: list[User], programs: list[Program]) -> None:
    table = seat_table(people[:1], size=3, entry="invitation")
    path = f"tables/{table.pk}"
    for _twice in range(2):
        assert len(told(programs[0].post(f"{path}/bots", {"strength": "captain", "taken": 1}))["seats"]) == 2
    assert told(programs[0].post(f"{path}/bots", {"strength": "captain", "taken": 1}))
    assert told(programs[0].post(f"{path}/bots", {"strength": "recruit", "taken": 1}), 409)
    assert told(programs[0].post(f"{path}/bots", {"strength": "no one", "taken": 2}), 422)["errors"]
    assert told(programs[0].post(f"{path}/bots", {"strength": "captain", "taken": 2**70}), 422)
    assert told(programs[1].post(f"{path}/bots", {"strength": "captain", "taken": 2}), 404)
    seats = told(programs[0].post(f"{path}/bots", {"strength": "recruit", "taken": 2}))["seats"]
    assert [seat["is_bot"] for seat in seats] == [False, True, True]
    assert told(programs[0].post(f"{path}/confirmation"))["state"] == "playing"


def test_a_game_ends_when_everyone_has_agreed(people: list[User], programs: list[Program]) -> None:
    game = begin_game(people)
    path = f"games/{game.pk}"
    for _twice in range(2):
        seen = told(programs[0].post(f"{path}/proposals", {"what": "none"}))["proposal"]
    assert (seen["number"], seen["what"], seen["is_yours"], seen["agreed"]) == (1, "none", True, [0])
    assert Proposal.objects.count() == 1
    assert told(programs[1].post(f"{path}/proposals", {"what": "none"}), 409)["code"] == "refused"
    assert told(programs[1].post(f"{path}/proposals", {"what": "all"}), 422)["code"] == "bad-input"
    told(programs[1].post(f"{path}/proposals/1/answer", {"accepts": False}))
    assert told(programs[2].get(path))["proposal"] is None
    assert told(programs[2].post(f"{path}/proposals/1/answer", {"accepts": True}), 409)["detail"]
    told(programs[2].post(f"{path}/proposals", {"what": "most regions"}))
    seen = told(programs[0].get(path))["proposal"]
    assert (seen["number"], seen["is_yours"]) == (2, False)
    assert "Carla" in seen["sentence"]
    for number in (0, 3, 10**15):
        assert told(programs[0].post(f"{path}/proposals/{number}/answer", {"accepts": True}), 404)
    for program in (programs[0], programs[0], programs[1]):
        seen = told(program.post(f"{path}/proposals/2/answer", {"accepts": True}))
    assert seen["is_over"]
    assert seen["result"]
    assert seen["decision"] is None
    assert told(programs[0].get(f"{path}/record"))


def test_answers_of_readers_and_strangers_change_nothing(people: list[User], programs: list[Program]) -> None:
    game = begin_game(people[:2])
    told(programs[0].post(f"games/{game.pk}/proposals", {"what": "none"}))
    path = f"games/{game.pk}/proposals/1/answer"
    assert told(programs[2].post(path, {"accepts": True}), 404)
    assert told(Program(people[1], ("read", "chat")).post(path, {"accepts": True}), 403)
    assert told(programs[1].post(path, {"accepts": "perhaps"}), 422)
    assert told(programs[1].post(path, {"accepts": True, "and": 1}), 422)
    assert not Game.objects.get().is_over


def test_a_match_goes_on_when_everyone_is_ready(people: list[User], programs: list[Program]) -> None:
    game = begin_match(people, 50)
    path = f"games/{game.pk}"
    assert told(programs[0].get(path))["match"] == {
        "number": 1,
        "target": 50,
        "points": [0, 0, 0],
        "next_game": None,
        "waits_for_you": False,
        "following": None,
        "ending": "",
    }
    assert told(programs[0].post(f"{path}/next", {"number": 2}), 409)["code"] == "refused"
    play_to_the_end(game)
    (row,) = told(programs[0].get("waiting"))
    assert (row["kind"], row["id"]) == ("game", game.pk)
    match = told(programs[0].get(path))["match"]
    assert (match["next_game"], match["waits_for_you"]) == (2, True)
    assert sum(match["points"]) > 0
    for _twice in range(2):
        seen = told(programs[0].post(f"{path}/next", {"number": 2}))
        assert (seen["id"], seen["match"]["waits_for_you"]) == (game.pk, False)
    assert told(programs[0].post(f"{path}/next", {"number": 3}), 409)
    assert told(programs[0].post(f"{path}/next", {"number": 2**70}), 422)
    told(programs[1].post(f"{path}/next", {"number": 2}))
    begun = told(programs[2].post(f"{path}/next", {"number": 2}))
    assert begun["match"]["number"] == 2
    assert told(programs[0].get(path))["match"]["following"] == begun["id"]
    assert Game.objects.count() == 2


def test_a_single_game_is_no_match(people: list[User], programs: list[Program]) -> None:
    game = begin_game(people)
    assert told(programs[0].get(f"games/{game.pk}"))["match"] is None
    assert told(programs[0].post(f"games/{game.pk}/next", {"number": 2}), 409)["code"] == "refused"
