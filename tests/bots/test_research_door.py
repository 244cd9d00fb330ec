"""The pure packages install without the site, their tour runs, and anyone can verify bots' records."""

import doctest
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from games.bots.bot_records import bot_record
from games.bots.seated_players import KINDS, Thought
from games.bots.strategist.weights import PATH
from games.rules import VARIANTS, Options, read_record, record_json, verify
from tests.servers import HANGS

ROOT = Path(__file__).resolve().parent.parent.parent
ALL_FIVE = Options("2007", VARIANTS)
SCRIPT = ROOT / "docs" / "verify_shuffles.py"
pytestmark = pytest.mark.once


@pytest.mark.long
def test_the_packages_install_and_play_without_django(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    for package in ("rules", "orders", "bots"):
        shutil.copytree(ROOT / "games" / package, source / "games" / package)
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, source)
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--target")
    _run(sys.executable, "-m", "pip", "install", *options, str(target), str(source))
    played = _run(sys.executable, "-I", "-S", "-c", PLAY.format(target=str(target)))
    assert played.stdout.split() == ["no", "django", "2"]


PLAY = """
import importlib.util, sys
sys.path.insert(0, {target!r})
import games.orders
from games.bots.__main__ import main
print("no", "django" if importlib.util.find_spec("django") is None else "luck")
import contextlib, io
told = io.StringIO()
with contextlib.redirect_stdout(told):
    main(["duel", "--games", "1", "--seats", "strategist,captain", "--playouts", "4"])
print(len(told.getvalue().splitlines()))
"""


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=True)


@pytest.mark.parametrize("name", ["docs/RESEARCH.md", "README.md"])
def test_the_tour_does_what_it_says(name: str) -> None:
    outcome = doctest.testfile(str(ROOT / name), module_relative=False)
    assert outcome.failed == 0
    assert outcome.attempted > 3


def test_records_of_bots_can_be_verified(tmp_path: Path) -> None:
    tables = [(KINDS, Options()), (("captain", "recruit"), Options("1995")), (("random",) * 2, ALL_FIVE)]
    thought = Thought(playouts=2, previous=str(PATH))
    records = [
        bot_record(kinds, options, "seed", number, thought) for number, (kinds, options) in enumerate(tables)
    ]
    for record in records:
        checked = verify(record)
        assert checked.ok
        assert checked.proved
    again = bot_record(KINDS, Options(), "seed", 0, thought)
    assert record_json(again) == record_json(records[0])
    path = tmp_path / "games.jsonl"
    path.write_text("".join([json.dumps(record_json(record)) + "\n" for record in records]))
    assert _run(sys.executable, str(SCRIPT), str(path)).stdout.count("every shuffle is right") == 3


@pytest.mark.parametrize("kind", ["shuffle", "secret", "no secret", "neither"])
def test_the_script_finds_a_shuffle_that_was_changed(tmp_path: Path, kind: str) -> None:
    record = json.loads((ROOT / "docs" / "showpiece.json").read_text())
    if kind == "secret":
        record["commitment"] = "0" * 64
    elif kind == "no secret":
        record |= {"secret": None, "commitment": "", "nonces": []}
    elif kind == "shuffle":
        words = record["log"][0][1].split()
        record["log"][0][1] = " ".join([words[0], *reversed(words[1:])])
    record |= {"ended": None, "first_by": None, "match": None, "final_battle": None, "copied": None}
    assert verify(read_record(record)).proved == (kind == "neither")
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(record) + "\n")
    command = [sys.executable, str(SCRIPT), str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANGS, check=False)
    assert (done.returncode, done.stderr) == (int(kind != "neither"), "")
    assert ("every shuffle is right" in done.stdout) == (kind == "neither")


def test_the_script_is_short_and_shares_no_code() -> None:
    text = SCRIPT.read_text()
    assert len(text.splitlines()) <= 60
    assert "games.rules import" not in text
