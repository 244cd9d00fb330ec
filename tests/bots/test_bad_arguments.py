"""`python -m games.bots` and `python -m games.rules` say in one line what is wrong, and what to do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from games.bots.__main__ import main as bots
from games.bots.seated_players import Thought
from games.bots.tournament import TABLES, OtherTournament, played_line, read_games
from games.rules.__main__ import main as rules
from tests.servers import HANGS

ROOT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.once


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in a folder with two files that are no records or games."""
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "other.jsonl").write_text("5\n")
    monkeypatch.chdir(tmp_path)


def said(capsys: pytest.CaptureFixture[str], main: Any, arguments: list[str]) -> str:
    """Return the one line with which a command refuses."""
    try:
        status = main(arguments)
    except SystemExit as ended:
        status = ended.code
    out, err = capsys.readouterr()
    assert (status, out) == (2, "")
    assert len(err.splitlines()) == 1
    assert len(err) < 400
    return err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "required: COMMAND"),
        ("juggle", "choose from 'selfplay', 'replay', 'verify'"),
        ("selfplay", "required: --games, --seed"),
        ("selfplay --games -1 --seed 1", "'-1' is not a number from 1 to 1000000"),
        ("selfplay --games 0 --seed 1", "'0' is not a number from 1"),
        ("selfplay --games " + "9" * 5000 + " --seed 1", "..."),
        ("selfplay --games 1 --seed 1 --players 7", "'7' is not a number from 2 to 6"),
        ("selfplay --games 1 --seed 1 --players x", "'x' is not a number from 2 to 6"),
        ("selfplay --games 1 --seed 1 --edition 1890", "name 2007 or 1995"),
        ("selfplay --games 1 --seed 1 --variants moon", "name any of bigger-kingdoms, "),
        ("verify", "required: FILE"),
        ("verify none.jsonl", "can't use 'none.jsonl': No such file or directory. Name another file."),
        ("replay none.jsonl", "Name another file."),
        ("verify /", "Is a directory. Name another file."),
        ("verify empty.jsonl", "no record in 'empty.jsonl'. Name a file with a record on each line."),
        ("replay empty.jsonl", "no record in 'empty.jsonl'."),
        ("verify empty.jsonl more", "unrecognized arguments: more. Add --help for all arguments."),
    ],
)
def test_the_rules(arguments: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in said(capsys, rules, arguments.split())


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("", "required: COMMAND"),
        ("fight", "choose from 'duel', 'selfplay'"),
        ("selfplay --games -1", "'-1' is not a number from 1"),
        ("selfplay --games 1 --seats captain", "two to six seats can play, not 1"),
        ("duel --games 1 --seats captain,captain --edition 1890", "name 2007 or 1995"),
        ("duel --games 1 --seats captain,captain --variants moon", "name any of bigger-kingdoms, "),
        ("blunders --games 1 --players 7", "'7' is not a number from 2 to 6"),
        ("tournament --games 1 --file none/x.jsonl", "'none/x.jsonl' is in no folder that exists"),
        ("tournament --games 1 --file .", "'.' is no file"),
        ("tournament --games 1 --file x.jsonl --tables moon", "is none of 3 seats, "),
        ("tournament --games 1 --tables recruits --file other.jsonl", "line 1 of other.jsonl is no game of"),
        ("train --games 1 --file /proc/none/x", "is in no folder that exists"),
    ],
)
def test_the_bots(arguments: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert words in said(capsys, bots, arguments.split())


def test_what_cannot_be_written_is_said_before_hours_of_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("games.bots.__main__.os.access", lambda *_asked: False)
    monkeypatch.chdir(tmp_path)
    for command in ("tournament", "train"):
        assert "'x' can't be written: name another file" in said(
            capsys, bots, [command, "--games", "1", "--file", "x"]
        )


DAMAGED = (b"5", b"null", b'[{"table": "3 seats"}]', b'{"table": "moon"}', b"\xff\xfe", b"\x00", b"{}")


def test_a_file_of_something_else_stays_as_it_is(tmp_path: Path) -> None:
    game = played_line(TABLES[-1], 0, "seed", Thought(playouts=1)).encode() + b"\n"
    path = tmp_path / "games.jsonl"
    path.write_bytes(game)
    assert len(read_games(path)) == 1
    for damaged in DAMAGED:
        path.write_bytes(game + damaged + b"\n")
        with pytest.raises(OtherTournament, match=r"line 2 of .* is no game of a tournament: name another"):
            read_games(path)


@pytest.mark.parametrize("cut", [b'{"tab', b'{"table": "3 sea'])
def test_a_line_that_was_cut_off_counts_for_nothing(tmp_path: Path, cut: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(cut)
    assert read_games(path) == []


@pytest.mark.parametrize("module", ["games.rules", "games.bots"])
@pytest.mark.parametrize("closed", [">&-", "> /dev/full"])
def test_an_output_that_takes_nothing_ends_without_a_traceback(module: str, closed: str) -> None:
    command = f"{sys.executable} -m {module} selfplay --games 1 --seed 1 {closed}"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, timeout=HANGS, check=False)
    words = "can't read or write: No space left on device. Make room, or name another file."
    full = (2, f"python -m {module}: {words}\n")
    assert (done.returncode, done.stderr.decode()) == (full if "full" in closed else (0, ""))


def test_a_closed_input_is_said() -> None:
    command = f"{sys.executable} -m games.rules verify - <&-"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, timeout=HANGS, check=False)
    assert done.returncode == 2
    assert done.stderr == b"python -m games.rules: standard input is closed. Name a file.\n"


@pytest.mark.long
@pytest.mark.parametrize(
    "arguments", ["duel --seats random,random", "tournament --tables recruits --file {file}"]
)
def test_control_c_ends_without_a_traceback(arguments: str, tmp_path: Path) -> None:
    words = [*arguments.format(file=tmp_path / "games.jsonl").split(), "--games", "10000"]
    with subprocess.Popen(
        [sys.executable, "-m", "games.bots", *words, "--playouts", "1"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.communicate(timeout=HANGS) == (b"", b"")
    assert process.returncode == 130


def test_three_captains_play_if_no_one_else_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert bots(["selfplay", "--games", "1"]) == 0
    assert capsys.readouterr().out.count('"format"') == 1
