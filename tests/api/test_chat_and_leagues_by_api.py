"""Channels and leagues for programs: who may read what is decided where pages decide it."""

from __future__ import annotations

import json

import pytest

from accounts.models import User
from games.chat.models import Message
from games.chat.services import begin_channel, write
from games.leagues.selectors.season_file import season_as_json
from games.models import Game
from tests.api.asking import Program, told
from tests.games.playing import begin_game
from tests.leagues.world import a_league, a_season
from tests.people import all_proven

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


@pytest.fixture
def game(people: list[User]) -> Game:
    return begin_game(people)


def test_a_message_is_written_once_and_read_by_the_table(game: Game, people: list[User]) -> None:
    anna, bruno = Program(people[0]), Program(people[1])
    path = f"tables/{game.table_id}/channels"
    (channel,) = told(anna.get(path))
    assert (channel["slug"], channel["newest"], channel["may_write"]) == ("table", 0, True)
    for _twice in range(2):
        channel = told(anna.post(f"{path}/table/messages", {"text": "**Hello**", "after": 0}))
        assert channel["newest"] == 1
    (message,) = told(bruno.get(f"{path}/table/messages"))
    assert (message["author"], message["text"], message["is_yours"]) == ("Anna", "**Hello**", False)
    assert told(bruno.get(f"{path}/table/messages", {"before": 1})) == []


def test_private_channels_are_those_of_their_members_and_move_nothing_of_others(
    game: Game, people: list[User]
) -> None:
    path = f"tables/{game.table_id}/channels"
    carla = Program(people[2])
    before = carla.get(path)
    seats = list(game.table.seats.order_by("number"))
    channel = begin_channel(seats[0], [seats[1]])
    write(seats[0], "Between us.", channel=channel)
    after = carla.get(path)
    assert (before.content, before["ETag"]) == (after.content, after["ETag"])
    private = f"{path}/{channel.slug}/messages"
    assert told(carla.get(private), 404) == told(carla.get(f"{path}/guessed/messages"), 404)
    assert told(carla.post(private, {"text": "x", "after": 0}), 404)
    assert [one["text"] for one in told(Program(people[1]).get(private))] == ["Between us."]
    assert Message.objects.filter(channel=channel).count() == 1


def test_a_message_that_cannot_be_written_changes_nothing(game: Game, people: list[User]) -> None:
    program = Program(people[0])
    path = f"tables/{game.table_id}/channels/table/messages"
    for body, status in (
        ({"text": "", "after": 0}, 422),
        ({"text": "x" * 100_000, "after": 0}, 422),
        ({"text": "x"}, 422),
        ({"text": "x", "after": 2**70}, 422),
        ({"text": "\u0000", "after": 0}, 422),
    ):
        assert told(program.post(path, body), status)["code"] == "bad-input"
    assert told(Program(people[0], ("read", "play")).post(path, {"text": "x", "after": 0}), 403)
    assert not Message.objects.exists()


def test_strangers_read_no_channel(game: Game) -> None:
    stranger = Program(all_proven({"dario@example.org": "Dario"})[0])
    assert told(stranger.get(f"tables/{game.table_id}/channels"), 404)
    assert told(stranger.get(f"tables/{game.table_id}/channels/table/messages"), 404)


def test_a_public_league_needs_no_token_and_a_private_one_is_its_peoples(people: list[User]) -> None:
    public, private = (a_season(a_league(people[0], name, is_private=name == "B")) for name in ("A", "B"))
    no_one, anna, bruno = Program(), Program(people[0]), Program(people[1])
    assert [one["name"] for one in told(no_one.get("leagues"))] == ["A"]
    assert {one["name"]: one["is_yours"] for one in told(anna.get("leagues"))} == {"A": True, "B": True}
    for found, status in ((public, 200), (private, 404)):
        path = f"leagues/{found.league_id}"
        for program in (no_one, bruno):
            told(program.get(path), status)
            told(program.get(f"{path}/seasons/{found.number}"), status)
    (listed,) = told(anna.get(f"leagues/{private.league_id}"))["seasons"]
    assert listed["number"] == private.number
    season = told(no_one.get(f"leagues/{public.league_id}/seasons/{public.number}"))
    assert season == json.loads(json.dumps(season_as_json(public)))
    assert told(no_one.get(f"leagues/{public.league_id}/seasons/9"), 404)
