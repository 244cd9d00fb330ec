"""Commands that meet a database or a file that can't be used, or Control-C, end in a sentence."""

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, ProgrammingError

from condottiere_site import bootstrap, command_failures, database_state
from tests.servers import HANGS

EMPTY = "CommandError: The database is empty. Run `python3 manage.py migrate` first, or restore a backup."


def _run(state: Path, *words: str, **environment: str) -> str:
    """Run a command that fails; return the one line that it printed."""
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=bootstrap.ROOT,
        env={"PATH": "/usr/bin:/bin", "STATE_DIR": str(state)} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr.strip()


@pytest.mark.once
@pytest.mark.parametrize(
    "words",
    [
        ["operator_link"],
        *(
            pytest.param(words, marks=pytest.mark.long)
            for words in (
                ["normalize_addresses"],
                ["credit_outage", "2026-03-02T14:00", "2026-03-02T18:30"],
                ["export_game", "1"],
                ["replay_games"],
                ["check_leagues"],
                ["appoint_organiser", "1", "ada@example.org"],
            )
        ),
    ],
    ids=lambda words: words[0],
)
def test_an_empty_database_is_named(tmp_path: Path, words: list[str]) -> None:
    assert _run(tmp_path, *words) == f"{EMPTY} Nothing was changed."


@pytest.mark.once
@pytest.mark.long
def test_a_database_that_is_away_is_named_without_its_password(tmp_path: Path) -> None:
    away = "postgresql://condottiere:s3cret@127.0.0.1:1/condottiere"
    for command in ("operator_link", "accept_key"):
        said = _run(tmp_path, command, DATABASE_URL=away)
        assert said.startswith("CommandError: The database can't be used: ")
        assert "s3cret" not in said


def test_a_file_that_can_not_be_used_is_named() -> None:
    with pytest.raises(SystemExit) as ended, command_failures.in_sentences(["manage.py", "backup"]):
        Path("/no/such/file").read_bytes()
    assert ended.value.code == "CommandError: /no/such/file can't be used: No such file or directory."


def _said(monkeypatch: pytest.MonkeyPatch, error: Exception, state: Any) -> object:
    monkeypatch.setattr(database_state, "database_state", state)
    with pytest.raises(SystemExit) as ended, command_failures.in_sentences(["manage.py", "check"]):
        raise error
    return ended.value.code


def test_what_the_database_lacks_comes_before_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    behind = database_state.DatabaseState(pending=frozenset({("games", "0002")}), version="0.0.9")
    said = _said(monkeypatch, ProgrammingError("no such column: x"), lambda: behind)
    assert str(said).startswith("CommandError: The database is of release 0.0.9, ")


def test_what_a_database_says_that_can_not_be_read_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> None:
        raise OperationalError("refused\n\tIs it running?\n")

    said = _said(monkeypatch, OperationalError("couldn't get a connection after 8.00 sec"), away)
    assert said == "CommandError: The database can't be used: refused Is it running?"


def test_other_errors_and_those_with_a_wish_for_tracebacks_are_raised() -> None:
    with pytest.raises(OSError, match="a lost server"), command_failures.in_sentences(["manage.py"]):
        raise OSError("a lost server")
    with (
        pytest.raises(FileNotFoundError),
        command_failures.in_sentences(["manage.py", "check", "--traceback"]),
    ):
        Path("/no/such/file").read_bytes()


@pytest.mark.parametrize(
    ("stage", "said"),
    [
        ("_set_up", "Interrupted; the same command takes the set-up up again."),
        ("_run", "Interrupted."),
    ],
)
def test_control_c_ends_each_stage_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: Any, stage: str, said: str
) -> None:
    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "_set_up", lambda *_arguments: None)
    monkeypatch.setattr(bootstrap, stage, interrupted)
    with pytest.raises(SystemExit) as ended:
        bootstrap.main(["manage.py", "upgrade"])
    assert ended.value.code == bootstrap.INTERRUPTED
    assert capsys.readouterr().err == f"\n{said}\n"


def test_packages_that_can_not_be_loaded_are_told_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a disk from which no program may run."""

    def unloadable(*_arguments: object) -> None:
        raise ImportError("lib.so: failed to map segment", name="lib")

    monkeypatch.setattr(bootstrap, "_set_up", lambda *_arguments: None)
    monkeypatch.setattr(bootstrap, "_run", unloadable)
    monkeypatch.setattr(bootstrap, "_own_environment", lambda: Path(sys.prefix))
    monkeypatch.setenv(bootstrap.JUST_SET_UP, "1")
    with pytest.raises(SystemExit) as ended:
        bootstrap.main(["manage.py", "check"])
    assert str(ended.value.code) == (
        f"The environment in {sys.prefix} is damaged (lib.so: failed to map segment). Delete that folder, or "
        "set STATE_DIR to one from which programs can run, then start the command again."
    )


@pytest.mark.once
def test_control_c_counts_even_while_python_cleans_up() -> None:
    program = (
        "import signal, sys, time\nfrom condottiere_site import bootstrap\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "sys.unraisablehook = bootstrap._interrupt_again\n"
        "class Cleaned:\n    def __del__(self): signal.raise_signal(signal.SIGINT)\n"
        "try:\n    Cleaned(); print('goes on', flush=True); time.sleep(600)\n"
        "except KeyboardInterrupt:\n    print('ends')"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=bootstrap.ROOT,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("goes on\nends\n", "")


@pytest.mark.once
@pytest.mark.long
@pytest.mark.parametrize("port", ["0", "99999", "-1"])
def test_a_port_that_is_none_is_named_as_it_was_given(tmp_path: Path, port: str) -> None:
    assert _run(tmp_path, "play", "--port", port) == "CommandError: --port must be between 1 and 65535."


def test_of_a_full_disk_it_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    full, cause = OperationalError("database or disk is full"), sqlite3.OperationalError()
    cause.sqlite_errorcode = sqlite3.SQLITE_FULL
    full.__cause__ = cause

    def read() -> None:
        raise full

    said = str(_said(monkeypatch, full, read))
    assert said.startswith("CommandError: The database can't be used: database or disk is full. Make room")
