"""Playing on from a position of a finished game, and taking back a move in practice."""

from __future__ import annotations

import json
import random
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from games.models import Game, LogEntry, Seat, Table
from games.rules import Options, read_record, verify
from games.selectors.integrity import differences
from games.services.first_games import mark_first_games
from games.services.import_game import import_games
from games.services.practice import begin_practice
from games.views.practice import PRACTICES_A_DAY
from tests.commands.records import finished, match_with_final_battle
from tests.games.playing import begin_game, play_to_the_end
from tests.practice.playing_as_a_guest import (
    FORM_KEY,
    TAKE_BACK,
    answer,
    begun,
    decision_step,
    offered,
    play_on,
)
from tests.rules.random_play import EVERY_OPTIONS

pytestmark = pytest.mark.django_db

MORE = [Options("1995"), EVERY_OPTIONS[7], *EVERY_OPTIONS[8:30:7]]
SEVERAL = [Options(), EVERY_OPTIONS[31], *(pytest.param(one, marks=pytest.mark.long) for one in MORE)]


def log_of(game: Game) -> list[tuple[int | None, str]]:
    return list(game.log.order_by("ply").values_list("seat", "move"))


def sent(seat: int, **other: Any) -> dict[str, Any]:
    return {"seat": seat, "strength": "recruit", "form_key": str(uuid4()), **other}


def game_at(answered: Any) -> Game:
    """The game whose page the answer leads to."""
    assert answered.status_code == 302, answered.content.decode()
    where = answered["Location"].strip("/").split("/")
    found = {"games": "pk", "practice": "table__practice_key"}[where[0]]
    return Game.objects.select_related("table").get(**{found: where[1]})


def play_out(game: Game, seed: int) -> Game:
    """Play at random for the game's one person, to the end."""
    play_to_the_end(game, seed)
    game.refresh_from_db()
    return game


@pytest.mark.parametrize("options", SEVERAL, ids=str)
def test_any_position_of_any_game_goes_on_to_an_end(options: Options) -> None:
    chance = random.Random(str(options))
    old = import_games([read_record(finished(chance.randrange(99), options, None))], "link")[0]
    log = log_of(old)
    for ply in [0, 1, *chance.sample(range(2, old.ply), 2), old.ply - 1]:
        seat = chance.randrange(old.players)
        path = f"/watch/{old.table.watch_key}/history/{ply}/play-on/"
        game = game_at(Client().post(path, sent(seat)))
        assert log_of(game)[:ply] == log[:ply]
        assert differences(game.pk) == []
        over = play_out(game, ply)
        assert over.is_over
        assert differences(game.pk) == []
        record = json.loads(Client().get(f"/practice/{game.table.practice_key}/record.json").content)
        assert record["copied"] == [{"entries": ply, "commitment": old.table.commitment}]
        checked = verify(read_record(record))
        assert (checked.ok, checked.proved, checked.proved_from) == (True, not ply, ply or None)
        import_games([read_record(record)], "link")
        again = Game.objects.order_by("-pk")[0]
        assert differences(again.pk) == []
        proof = Client().get(f"/watch/{again.table.watch_key}/proof/").content.decode()
        assert "A check failed" not in proof
    assert log_of(old) == log
    assert differences(old.pk) == []


@pytest.mark.sqlite
def test_a_final_battle_goes_on_with_its_fighters_only() -> None:
    battle = import_games(match_with_final_battle(), "link")[-1]
    idle = next((seat for seat in range(battle.players) if seat not in battle.fighters), None)
    path = f"/watch/{battle.table.watch_key}/game/{battle.number}/history/1/play-on/"
    if idle is not None:
        assert Client().post(path, sent(idle)).status_code == 400
    game = play_out(game_at(Client().post(path, sent(battle.fighters[0]))), 1)
    assert game.is_over
    assert differences(game.pk) == []


def test_a_changed_copy_or_a_wrong_later_shuffle_is_found() -> None:
    old = import_games([read_record(finished(3))], "link")[0]
    path = f"/watch/{old.table.watch_key}/history/9/play-on/"
    game = play_out(game_at(Client().post(path, sent(0))), 1)
    shuffles = game.log.filter(seat=None).order_by("ply")
    later = shuffles.filter(ply__gte=9).first()
    assert later is not None
    Game.objects.filter(pk=game.pk).update(copied=None)
    assert "the shuffle is not the one that the secret makes" in str(differences(game.pk))


@pytest.fixture
def over(anna: Any, bruno: Any, carla: Any) -> Game:
    game = begin_game([anna, bruno, carla])
    play_to_the_end(game)
    game.refresh_from_db()
    return game


def test_a_player_plays_on_as_themselves_or_as_another(
    signed_in: Any, anna: Any, bruno: Any, over: Game
) -> None:
    client = signed_in(anna)
    page = client.get(f"/games/{over.pk}/history/20/").content.decode()
    assert f'action="/games/{over.pk}/history/20/play-on/"' in page
    own = Seat.objects.get(table=over.table, user=anna).number
    assert f'<option value="{own}" selected>' in page
    as_another = client.get(f"/games/{over.pk}/history/20/?as=3").content.decode()
    assert '<option value="2" selected>' in as_another
    game = game_at(client.post(f"/games/{over.pk}/history/20/play-on/", sent(2, strength="captain")))
    seats = list(game.table.seats.values_list("number", "user", "bot"))
    assert seats == [(0, None, "captain"), (1, None, "captain"), (2, anna.pk, "")]
    shown = client.get(f"/games/{game.pk}/").content.decode()
    assert f'href="/games/{over.pk}/history/20/"' in shown
    assert bruno.name not in shown
    proof = client.get(f"/games/{game.pk}/proof/").content.decode()
    assert "Entries 1 to 20 of the log were copied from another game" in proof


def test_the_same_form_begins_one_game_and_another_choice_another(
    signed_in: Any, anna: Any, over: Game
) -> None:
    client, about = signed_in(anna), sent(0)
    path = f"/games/{over.pk}/history/20/play-on/"
    first, again = (game_at(client.post(path, about)) for _click in range(2))
    assert first == again
    assert game_at(client.post(path, about | {"seat": 1})) != first
    assert Table.objects.filter(host=anna, size=3).count() == 3  # with the finished one


def test_practice_is_no_ones_first_game(signed_in: Any, anna: Any, over: Game) -> None:
    game = game_at(signed_in(anna).post(f"/games/{over.pk}/history/20/play-on/", sent(0)))
    assert not game.table.seats.filter(is_first_game=True).exists()
    assert game.table.is_against_bots
    mark_first_games(over.table)
    assert over.table.seats.get(user=anna).is_first_game  # nothing else was played


def test_only_readers_of_the_history_play_on(signed_in: Any, dario: Any, over: Game) -> None:
    before = Game.objects.count()
    path = f"/games/{over.pk}/history/20/play-on/"
    assert signed_in(dario).post(path, sent(0)).status_code == 404
    assert Client().post(path, sent(0)).status_code == 302  # to sign in
    assert Client().post(f"/watch/{over.table.watch_key}/history/20/play-on/", sent(0)).status_code == 404
    assert Game.objects.count() == before


def test_a_running_game_and_an_ended_position_are_not_played_on(
    signed_in: Any, anna: Any, bruno: Any, over: Game
) -> None:
    client = signed_in(anna)
    running = begin_game([anna, bruno])
    for game, ply in ((running, 1), (over, over.ply), (over, over.ply + 1)):
        assert client.post(f"/games/{game.pk}/history/{ply}/play-on/", sent(0)).status_code == 404
    assert "play-on/" not in client.get(f"/games/{over.pk}/history/{over.ply}/").content.decode()


@pytest.mark.parametrize("about", [{"seat": 3}, {"seat": "x"}, {"strength": "doge"}, {"form_key": "1"}])
def test_wrong_input_is_refused_on_the_page(
    signed_in: Any, anna: Any, over: Game, about: dict[str, Any]
) -> None:
    answered = signed_in(anna).post(f"/games/{over.pk}/history/20/play-on/", sent(0) | about)
    assert answered.status_code == 400
    assert "Play on from here" in answered.content.decode()


def test_it_counts_among_the_practice_games_of_a_day(signed_in: Any, anna: Any, over: Game) -> None:
    client = signed_in(anna)
    for _game in range(PRACTICES_A_DAY):
        assert client.post(f"/games/{over.pk}/history/20/play-on/", sent(0)).status_code == 302
    assert client.post(f"/games/{over.pk}/history/20/play-on/", sent(0)).status_code == 429


def test_a_spectator_link_that_is_a_key_is_not_shown(signed_in: Any, dario: Any) -> None:
    for watch, is_shown in (("anyone", True), ("link", False)):
        old = import_games([read_record(finished(4 + is_shown))], watch)[0]
        path = f"/watch/{old.table.watch_key}/history/5/"
        game = game_at(signed_in(dario).post(f"{path}play-on/", sent(0)))
        page = signed_in(dario).get(f"/games/{game.pk}/").content.decode()
        assert "plays on from entry 5 of another game" in page
        assert (old.table.watch_key in page) == is_shown


def taken_back(client: Client, path: str, page: str) -> Any:
    return client.post(f"{path}take-back-move/", {"form_key": TAKE_BACK.findall(page)[0]})


def moved(client: Client, path: str, moves: int) -> str:
    """Make some moves; return the page after them."""
    for _move in range(moves):
        page = client.get(path).content.decode()
        plain = [move for move in offered(page) if move not in ("play bishop", "play scarecrow", "pass")]
        assert answer(client, path, [*plain, "pass"][0], decision_step(page)).status_code == 302
    return client.get(path).content.decode()


def test_a_guest_takes_back_to_their_own_previous_decision() -> None:
    client = Client()
    path = begun(client, 2)
    assert "Take back" not in client.get(path).content.decode()
    page = moved(client, path, 3)
    before = Game.objects.get()
    own = list(before.log.filter(seat=0).order_by("ply").values_list("ply", flat=True))
    for _click in range(2):
        assert taken_back(client, path, page)["Location"].startswith(path)
    game = Game.objects.get(table__practice_key=path.strip("/").split("/")[1])
    assert (game.ply, log_of(game)) == (own[-1], log_of(before)[: own[-1]])
    assert differences(game.pk) == []
    shown = client.get(path).content.decode()
    assert "You took back your last move" in shown
    earlier = taken_back(client, path, shown)
    assert earlier.status_code == 302
    game = Game.objects.get(table__practice_key=path.strip("/").split("/")[1])
    assert game.ply == own[-2]
    assert len(game.copied) == 1
    play_on(client, path)
    game.refresh_from_db()
    assert game.is_over
    assert differences(game.pk) == []
    record = json.loads(client.get(f"{path}record.json").content)
    assert verify(read_record(record)).proved_from == own[-2]


def test_copied_entries_say_which_bot_chose_them() -> None:
    client = Client()
    path = begun(client, 1, "captain")
    before = Game.objects.get()
    taken_back(client, path, moved(client, path, 3))
    game = Game.objects.get(table__practice_key=path.strip("/").split("/")[1])
    choosers = list(game.log.order_by("ply").values_list("seat", "chosen_by"))
    assert (1, "captain") in choosers
    assert choosers == list(before.log.order_by("ply").values_list("seat", "chosen_by"))[: len(choosers)]


@pytest.mark.sqlite
def test_a_user_takes_back_and_the_old_game_is_no_longer_theirs(signed_in: Any, anna: Any) -> None:
    client = signed_in(anna)
    old = begin_practice(anna, 1, "recruit", uuid4())
    path = f"/games/{old.pk}/"
    page = moved(client, path, 2)
    client.post(f"{path}note/", {"text": "Keep the Winter."})
    first, again = (taken_back(client, path, page)["Location"] for _click in range(2))
    assert first == again != path
    game = game_at(taken_back(client, path, page))
    assert list(Game.objects.of(anna)) == [game]
    assert client.get(path).status_code == 404
    assert "Keep the Winter." in client.get(f"/games/{game.pk}/").content.decode()
    assert LogEntry.objects.filter(game=old).count() == old.log.count() > game.copied_entries
    assert differences(old.pk) == differences(game.pk) == []


def test_an_old_form_takes_nothing_back(signed_in: Any, anna: Any) -> None:
    client = signed_in(anna)
    game = begin_practice(anna, 1, "recruit", uuid4())
    path = f"/games/{game.pk}/"
    page = moved(client, path, 2)
    moved(client, path, 1)
    told = client.post(
        f"{path}take-back-move/", {"form_key": TAKE_BACK.findall(page)[0]}, follow=True
    ).content.decode()
    assert "Nothing was changed." in told
    assert Game.objects.count() == 1
    client.post(f"{path}take-back-move/", {"form_key": "none"})
    client.post(f"{path}take-back-move/")
    assert Game.objects.count() == 1


def test_nothing_is_taken_back_among_people(signed_in: Any, anna: Any, bruno: Any) -> None:
    game = begin_game([anna, bruno])
    page = signed_in(anna).get(f"/games/{game.pk}/").content.decode()
    assert "Take back" not in page
    signed_in(anna).post(f"/games/{game.pk}/take-back-move/", {"form_key": str(uuid4())})
    assert list(Game.objects.all()) == [game]


@pytest.mark.parametrize("language", ["en", "pl", "ru"])
def test_the_page_is_in_the_readers_language(language: str) -> None:
    old = import_games([read_record(finished(4))], "anyone")[0]
    address = f"/watch/{old.table.watch_key}/history/5/"
    page = Client().get(address, headers={"accept-language": language}).content.decode()
    assert f'<html lang="{language}"' in page
    assert FORM_KEY.search(page)
    game = game_at(Client().post(f"{address}play-on/", sent(0), headers={"accept-language": language}))
    shown = Client().get(f"/practice/{game.table.practice_key}/", headers={"accept-language": language})
    assert f'href="{address}"' in shown.content.decode()
