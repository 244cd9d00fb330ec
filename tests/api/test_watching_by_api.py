"""What a program sees of games that others may watch: what spectators see, and no more."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from games.chat.services import begin_channel, write
from games.models import Game
from games.models.replay import replayed
from games.rules import observe
from tests.api.asking import Program, told
from tests.games.playing import answer, begin_game, legal_texts, play_to_the_end, seat_table
from tests.matches.playing import begin_match
from tests.people import all_proven

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> list[User]:
    return all_proven({f"{name}@example.org": name.capitalize() for name in ("anna", "bruno", "carla")})


def path_of(game: Game) -> str:
    return f"watch/{game.table.watch_key}/games/{game.number}"


def test_a_spectators_program_sees_what_everyone_at_the_table_sees(people: list[User]) -> None:
    game = begin_game(people, watch="link")
    no_one, anna = Program(), Program(people[0])
    seen = told(no_one.get(path_of(game)))
    observed = observe(replayed(game).state, None)
    assert seen["observation"]["hand"] is None
    assert seen["observation"]["legal"] == []
    assert seen["observation"]["waiting_for"] == list(observed.waiting_for)
    assert seen["players"] == ["Anna", "Bruno", "Carla"]
    assert told(anna.get(path_of(game))) == seen  # a player gets no more here
    before = told(no_one.get(f"{path_of(game)}/news"))
    answer(game, legal_texts(game)[0])
    news = told(no_one.get(f"{path_of(game)}/news", {"since": before["step"]}))
    assert news["sentences"]
    assert news["step"] > before["step"]


def test_the_list_has_the_games_that_anyone_may_watch(people: list[User]) -> None:
    public = begin_game(people, watch="anyone")
    for watch in ("link", "nobody"):
        begin_game(people, watch=watch)
    (row,) = told(Program().get("watch"))
    assert (row["key"], row["number"], row["is_over"]) == (public.table.watch_key, 1, False)
    assert told(Program().get("watch", {"page": 2})) == []
    play_to_the_end(public)
    (row,) = told(Program().get("watch"))
    assert row["is_over"]
    assert row["result"] == told(Program().get(path_of(public)))["result"] != ""


def test_the_past_is_closed_while_a_game_runs_and_open_afterwards(people: list[User]) -> None:
    game, no_one = begin_game(people, watch="link"), Program()
    for part in ("history", "record"):
        assert told(no_one.get(f"{path_of(game)}/{part}"), 404)["code"] == "not-found"
    play_to_the_end(game)
    game.refresh_from_db()
    assert len(told(no_one.get(f"{path_of(game)}/history"))) == game.log.count()
    page = Client().get(f"/watch/{game.table.watch_key}/record.json")
    assert told(no_one.get(f"{path_of(game)}/record")) == page.json()


def test_records_are_limited_as_on_the_page(people: list[User], monkeypatch: pytest.MonkeyPatch) -> None:
    game = begin_game(people, watch="link")
    play_to_the_end(game)
    monkeypatch.setattr("games.views.history.RECORDS_A_DAY", 1)
    told(Program().get(f"{path_of(game)}/record"))
    assert told(Program().get(f"{path_of(game)}/record"), 429)["code"] == "too-many"


def test_before_its_game_a_table_is_seen_and_each_game_of_a_match_has_its_number(people: list[User]) -> None:
    gathering = seat_table(people[:2], size=3, watch="link")
    table = told(Program().get(f"watch/{gathering.watch_key}"))
    assert (table["games"], table["state"], table["players"]) == (0, "gathering", ["Anna", "Bruno"])
    assert told(Program().get(f"watch/{gathering.watch_key}/games/1"), 404)
    match = begin_match(people, 10, watch="anyone")
    assert told(Program().get(f"watch/{match.table.watch_key}"))["games"] == 1
    assert told(Program().get(f"{path_of(match)}"))["page"].endswith("/game/1/")
    assert told(Program().get(f"watch/{match.table.watch_key}/games/2"), 404)


@pytest.mark.parametrize("part", ["", "/games/1", "/games/1/news", "/games/1/record", "/channels"])
def test_a_table_that_no_one_may_watch_answers_as_if_it_did_not_exist(people: list[User], part: str) -> None:
    closed = begin_game(people, watch="nobody")
    for program in (Program(), Program(people[0])):
        found = program.get(f"watch/{closed.table.watch_key}{part}")
        assert told(found, 404) == told(program.get(f"watch/guessed{part}"), 404)


def test_names_of_anonymous_players_stay_hidden(people: list[User]) -> None:
    game = begin_game(people, watch="anyone", is_anonymous=True)
    shown = told(Program().get("watch")), told(Program().get(path_of(game)))
    for name in ("Anna", "Bruno", "Carla"):
        assert name not in str(shown)


def test_spectators_read_public_channels_only_where_the_table_lets_them(people: list[User]) -> None:
    open_one, shut = (begin_game(people, watch="link", spectators_read=reads) for reads in (True, False))
    for game in (open_one, shut):
        seats: list[Any] = list(game.table.seats.order_by("number"))
        write(seats[0], "To everyone.")
        write(seats[0], "To Bruno.", channel=(private := begin_channel(seats[0], [seats[1]])))
        path = f"watch/{game.table.watch_key}/channels"
        assert told(Program().get(f"{path}/{private.slug}/messages"), 404)
    (channel,) = told(Program().get(f"watch/{open_one.table.watch_key}/channels"))
    assert (channel["slug"], channel["newest"], channel["may_write"]) == ("table", 1, False)
    (message,) = told(Program().get(f"watch/{open_one.table.watch_key}/channels/table/messages"))
    assert (message["author"], message["text"], message["is_yours"]) == ("Anna", "To everyone.", False)
    assert told(Program().get(f"watch/{shut.table.watch_key}/channels")) == []
    assert told(Program().get(f"watch/{shut.table.watch_key}/channels/table/messages"), 404)
