"""`export_game`: whole records of finished games, and none of a running one."""

import json
import os
import subprocess
import sys
from itertools import pairwise
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games.models import Game, LogEntry, Table
from games.rules import Verification, does_not_follow, read_record, verify
from games.services.start import begin_game as begin_next
from tests.commands.records import lines_of, run
from tests.conftest import test_database_url as database_url
from tests.games.playing import begin_game, play_to_the_end, play_until
from tests.matches.test_playing_a_match import begin_match, play_out
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


@pytest.fixture
def game(people: list[Any]) -> Game:
    game = begin_game(people)
    play_to_the_end(game)
    return game


def test_a_finished_game_is_written_as_the_site_sends_it(
    game: Game, people: list[Any], signed_in: Any
) -> None:
    done = run("export_game", game.pk)
    assert (done.status, done.err) == (0, "")
    assert done.out == signed_in(people[0]).get(f"/games/{game.pk}/record.json").content.decode()
    record = read_record(json.loads(done.out))
    assert verify(record) == Verification(True, True)
    assert record.players == ("Anna", "Bruno", "Carla")
    assert record.first_by == "draw"


def test_each_move_says_when_and_how_it_came(game: Game) -> None:
    (record,) = lines_of(run("export_game", game.pk).out)
    for (seat, text, note), entry in zip(record["log"], game.log.all(), strict=True):
        assert (seat, text) == (entry.seat, entry.move)
        assert note["at"] == entry.at.strftime("%Y-%m-%dT%H:%M:%S+00:00")
        assert note.get("via") == ("web" if seat is not None else None)


def test_a_running_game_is_refused_in_one_line(people: list[Any]) -> None:
    game = begin_game(people)
    play_until(game, lambda state, decision: state.ply > 10)
    for arguments in ([game.pk], [game.pk, "--match"]):
        done = run("export_game", *arguments)
        assert (done.status, done.out) == (1, "")
        assert done.err == (
            f"Game {game.pk} is still running, so its secret cannot be exported. Wait until it is over.\n"
        )


@pytest.mark.parametrize("number", [0, 987654, 10**30])
def test_an_unknown_game_is_refused_in_one_line(db: None, number: int) -> None:
    done = run("export_game", number)
    assert (done.status, done.out, done.err) == (1, "", f"There is no game {number}.\n")


def test_a_match_is_written_in_order_and_each_game_follows_the_one_before(people: list[Any]) -> None:
    games = play_out(begin_match(people, 12))
    done = run("export_game", games[-1].pk, "--match")
    records = [read_record(line) for line in lines_of(done.out)]
    assert len(records) == len(games) > 1
    assert [verify(record) for record in records] == [Verification(True, True)] * len(games)
    assert [record.match.game for record in records if record.match] == list(range(1, len(games) + 1))
    assert [record.first_by for record in records] == ["draw"] + ["table"] * (len(games) - 1)
    for before, after in pairwise(records):
        assert does_not_follow(before, after) is None
    assert run("export_game", games[0].pk).out == done.out.splitlines(keepends=True)[0]


def test_a_match_with_a_game_that_runs_is_refused_whole(people: list[Any]) -> None:
    game = begin_match(people, 200)
    play_to_the_end(game)
    Game.objects.create(
        table=game.table, number=2, players=3, first_condottiere=0, nonces=game.nonces, phase="shuffle",
        started_at=game.started_at, moved_at=game.moved_at,
    )  # fmt: skip
    assert run("export_game", game.pk, "--match").status == 1
    assert run("export_game", game.pk, "--match").out == ""
    assert run("export_game", game.pk).status == 0


def test_a_final_battle_is_the_record_of_those_who_fight_it(people: list[Any]) -> None:
    """The last game of a match of three left Bruno and Carla with most points."""
    game = begin_match(people, 1)
    play_to_the_end(game)
    Table.objects.filter(pk=game.table_id).update(target=5)
    battle = begin_next(
        Table.objects.get(), number=2, first_condottiere=2, nonces=game.nonces,
        points_before=[1, 5, 5], final_battle=[None, 3, 0],
    )  # fmt: skip
    play_to_the_end(battle)
    battle.refresh_from_db()
    (record,) = lines_of(run("export_game", battle.pk).out)
    assert record["players"] == ["Bruno", "Carla"]
    assert record["first_condottiere"] == 1
    assert record["final_battle"] == [3, 0]
    assert record["match"] == {"target": 5, "game": 2, "points": [5, 5]}
    assert record["nonces"] == game.nonces[1:]
    assert {seat for seat, _text, _note in record["log"]} <= {None, 0, 1}
    assert [winner + 1 for winner in record["result"]["winners"]] == battle.result["winners"]
    assert record["commitment"] == game.table.secret_of(1).hex()
    assert verify(read_record(record)) == Verification(True, True)


def test_a_game_that_the_table_ended_says_so(people: list[Any]) -> None:
    game = begin_game(people)
    play_until(game, lambda state, decision: state.ply > 20)
    result = {"winners": [0], "reason": "most regions"}
    Game.objects.filter(pk=game.pk).update(ended="agreement", ended_at=game.moved_at, result=result)
    (record,) = lines_of(run("export_game", game.pk).out)
    assert record["ended"] == "agreement"
    assert record["result"] == result
    assert verify(read_record(record)).ok


def test_exporting_only_reads(game: Game) -> None:
    with CaptureQueriesContext(connection) as captured:
        run("export_game", game.pk, "--match")
    assert {query["sql"].split()[0] for query in captured} == {"SELECT"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.long
def test_the_commands_work_from_outside(game: Game, tmp_path: Any) -> None:
    """Export in one process and import in another, through a file."""
    exported = manage("export_game", str(game.pk))
    assert (exported.returncode, exported.stderr) == (0, b"")
    assert verify(read_record(json.loads(exported.stdout))).ok
    imported = manage("import_game", "-", input=exported.stdout + b"garbage\n")
    assert imported.returncode == 1
    assert imported.stdout.startswith(b"record 0: game ")
    assert imported.stderr == b"record 1: not JSON: Expecting value at character 0\n"
    assert Game.objects.count() == 2
    missing = manage("import_game", str(tmp_path / "missing"))
    assert missing.returncode == 2
    assert b"No such file" in missing.stderr
    assert missing.stderr.count(b"\n") == 1
    unknown = manage("export_game", "987654")
    assert (unknown.returncode, unknown.stderr) == (1, b"CommandError: There is no game 987654.\n")
    replayed = manage("replay_games")
    assert (replayed.returncode, replayed.stdout) == (0, b"2 games replayed, 0 differences.\n")
    LogEntry.objects.filter(game=game, ply=3).update(move="place atlantis")
    broken = manage("replay_games")
    assert broken.returncode == 1
    assert b"Traceback" not in broken.stderr


def manage(*arguments: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=os.environ | {"DATABASE_URL": database_url(), "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        timeout=HANGS,
        check=False,
        **more,
    )
