"""Reading, writing and proving records, and the command line that does it: nothing it is fed may break it."""

import copy
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from games.rules import (
    VARIANTS,
    InvalidRecord,
    Options,
    Verification,
    drawn_by_clock,
    observe,
    read_record,
    record_json,
    verify,
)
from games.rules.__main__ import main
from games.rules.record import replay_record
from games.rules.selfplay import selfplay_game
from tests.rules.command_line import run
from tests.servers import HANGS

GAMES = sorted((Path(__file__).parent / "games").glob("*.json"))
ROOT = Path(__file__).parents[2]
FINISHED: dict[str, Any] = json.loads((GAMES[0].parent / "adjacent-regions.json").read_text(encoding="utf-8"))
POSITION = [
    "phase",
    "to_move",
    "legal",
    "condottiere",
    "battle",
    "pope",
    "control",
    "hands",
    "lines",
    "strengths",
    "passed",
    "result",
]


def _changed(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(FINISHED), **changes}


def _lines(records: Iterable[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def test_each_option_edition_and_way_to_end_has_a_game_that_holds() -> None:
    endings: set[tuple[str, bool]] = set()
    played: set[tuple[str, tuple[str, ...]]] = set()
    for path in GAMES:
        assert path.stat().st_size < 40_000
        record = read_record(json.loads(path.read_text(encoding="utf-8")))
        assert verify(record) == Verification(True, True), path.name
        played.add((record.options.edition, record.options.variants))
        if record.ended is None:
            assert record.result is not None
            endings.add((record.result["reason"], len(record.result["winners"]) > 1))
        else:
            endings.add((record.ended, False))
    assert endings == {
        ("adjacent regions", False),
        ("total regions", False),
        ("most regions", False),
        ("most regions", True),
        ("final battle", False),
        ("final battle", True),
        ("agreement", False),
        ("abandoned", False),
    }
    alone = {("2007", (variant,)) for variant in VARIANTS}
    assert played == alone | {("2007", ()), ("2007", VARIANTS), ("1995", ())}


def test_a_record_comes_back_as_it_was_written() -> None:
    for path in GAMES:
        obj = json.loads(path.read_text(encoding="utf-8"))
        assert record_json(read_record(obj)) == obj
    noted = _changed(log=[[*FINISHED["log"][0], {"via": "clock", "at": "2026-01-01"}], *FINISHED["log"][1:]])
    assert record_json(read_record(noted)) == noted
    assert verify(read_record(noted)).ok
    copied = _changed(copied=[{"entries": 5, "commitment": ""}], first_by="table")
    assert record_json(read_record(copied)) == copied


def test_a_record_without_its_secret_holds_but_proves_nothing() -> None:
    for bare in (_changed(secret=None), _changed(secret=None, commitment="", nonces=[])):
        assert verify(read_record(bare)) == Verification(True, False)


def test_missing_keys_that_may_be_missing_are_as_null() -> None:
    without = {key: value for key, value in FINISHED.items() if key not in ("ended", "first_by")}
    null = _changed(ended=None, first_by=None, match=None, final_battle=None)
    assert read_record(without) == read_record(null)
    assert read_record(null).first_by == "table"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "condottiere-game-record/2"}, "condottiere-game-record/2"),
        ({"edition": "1895"}, "1895"),
        ({"edition": 2007}, "2007"),
        ({"variants": ["winter-olympics"]}, "winter-olympics"),
        ({"variants": ["b", "a"]}, "sorted"),
        ({"variants": None}, "variants"),
        ({"players": ["Anna"]}, "1"),
        ({"players": ["Anna"] * 7}, "7"),
        ({"players": ["Anna", 5]}, "players"),
        ({"first_condottiere": 6}, "6"),
        ({"first_condottiere": True}, "True"),
        ({"first_condottiere": None}, "None"),
        ({"commitment": "abc"}, "commitment"),
        ({"commitment": None}, "commitment"),
        ({"secret": "g" * 64}, "secret"),
        ({"nonces": ["00" * 16]}, "nonces"),
        ({"nonces": ["00"] * len(FINISHED["players"])}, "nonces"),
        ({"nonces": []}, "nonces"),
        ({"log": {}}, "log"),
        ({"ended": "boredom"}, "boredom"),
        ({"first_by": "dice"}, "dice"),
        ({"match": {"target": 20}}, "playing-for-points"),
        ({"final_battle": [1, 2]}, "playing-for-points"),
        ({"result": []}, "result"),
        ({"result": {"winners": [0]}}, "result"),
        ({"result": {"winners": [True], "reason": "final battle"}}, "winners"),
        ({"result": {"winners": [0], "reason": 1}}, "reason"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_an_unreadable_record_is_refused_by_name(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidRecord) as refused:
        read_record(_changed(**changes))
    assert said in str(refused.value)
    assert refused.value.entry is None


@pytest.mark.parametrize(
    "key",
    [
        "format",
        "edition",
        "variants",
        "players",
        "first_condottiere",
        "commitment",
        "secret",
        "nonces",
        "log",
        "result",
    ],
)
def test_a_missing_key_is_named(key: str) -> None:
    record = _changed()
    del record[key]
    with pytest.raises(InvalidRecord, match=key if key != "format" else "None"):
        read_record(record)


@pytest.mark.parametrize(
    "entry",
    [
        "pass",
        [1],
        [1, "pass", {}, {}],
        [1, 5],
        [1, "pass", None],
        ["1", "pass"],
        [True, "pass"],
        [1.0, "pass"],
        [[[]], "pass"],
    ],
)
def test_an_unreadable_log_entry_is_named_by_its_number(entry: Any) -> None:
    with pytest.raises(InvalidRecord) as refused:
        read_record(_changed(log=[*FINISHED["log"][:4], entry]))
    assert refused.value.entry == 4


def test_a_forged_record_is_found_out() -> None:
    swapped = FINISHED["log"][0][1].split(" ")
    swapped[1:3] = swapped[2:0:-1] if swapped[1] != swapped[2] else [swapped[-1], swapped[2]]
    wrong_first = (FINISHED["first_condottiere"] + 1) % len(FINISHED["players"])
    forgeries: list[tuple[dict[str, Any], int | None, str]] = [
        ({"secret": "00" * 32}, None, "commitment"),
        ({"first_condottiere": wrong_first}, None, "first Condottiere"),
        ({"nonces": ["00" * 16, *FINISHED["nonces"][1:]], "first_by": None}, 0, "shuffle 0"),
        ({"log": [[None, " ".join(reversed(swapped))[8:]], *FINISHED["log"][1:]]}, 0, ""),
        ({"result": {"winners": [1], "reason": "most regions"}}, len(FINISHED["log"]), "result"),
        ({"log": FINISHED["log"][:-1]}, len(FINISHED["log"]) - 1, "result"),
        ({"log": [*FINISHED["log"], [0, "pass"]]}, len(FINISHED["log"]), "over"),
    ]
    for changes, entry, said in forgeries:
        checked = verify(read_record(_changed(**changes)))
        assert (checked.ok, checked.proved, checked.entry) == (False, False, entry), changes
        assert said in str(checked.error)


def test_a_region_that_the_clock_says_it_drew_is_drawn_again() -> None:
    """Of each entry that says so; the games' own players chose theirs, and few as the key would have."""
    found = set()
    for path in GAMES:
        game = json.loads(path.read_text(encoding="utf-8"))
        for number, entry in enumerate(game["log"]):
            if not entry[1].startswith("place "):
                continue
            log = [*game["log"][:number], [*entry[:2], {"via": "clock"}], *game["log"][number + 1 :]]
            checked = verify(read_record({**game, "log": log}))
            assert checked.ok or (checked.entry, checked.error) == (
                number,
                "the clock's region is not the one that the secret draws",
            )
            found.add(checked.ok)
    assert found == {True, False}


def test_the_clock_draws_among_regions_evenly() -> None:
    key = bytes(range(32))
    drawn = [drawn_by_clock(key, ply, 7) for ply in range(700)]
    assert set(drawn) == set(range(7))
    assert all(60 < drawn.count(region) < 140 for region in range(7))
    assert drawn[:8] == [drawn_by_clock(key, ply, 7) for ply in range(8)]


def test_where_the_table_ended_the_game_the_result_is_its_word() -> None:
    log = FINISHED["log"][:9]
    for result in (None, {"winners": [0, 1], "reason": None}, {"winners": [], "reason": "tired"}):
        assert verify(read_record(_changed(log=log, ended="agreement", result=result))).ok


def test_selfplay_gives_the_same_bytes_for_the_same_arguments() -> None:
    status, records, _ = run("selfplay", "--games", "6", "--seed", "x", "--players", "3")
    assert status == 0
    assert run("selfplay", "--games", "6", "--seed", "x", "--players", "3")[1] == records
    assert run("selfplay", "--games", "2", "--seed", "x", "--players", "3")[1] == records[:2]
    assert run("selfplay", "--games", "6", "--seed", "y", "--players", "3")[1] != records
    assert [len(record["players"]) for record in records] == [3] * 6
    assert all(verify(read_record(record)) == Verification(True, True) for record in records)


def test_selfplay_without_players_varies_their_number() -> None:
    sizes = {len(selfplay_game(Options(), None, "s", number).players) for number in range(60)}
    assert sizes == {2, 3, 4, 5, 6}


@pytest.mark.parametrize(
    "arguments",
    [
        ["selfplay", "--games", "1", "--seed", "1", "--edition", "1895"],
        ["selfplay", "--games", "1", "--seed", "1", "--variants", "olympics"],
        ["selfplay", "--games", "-1", "--seed", "1"],
        ["selfplay", "--games", "1", "--seed", "1", "--players", "7"],
        ["selfplay", "--seed", "1"],
        ["replay", "/no/such/file"],
        ["verify", "/"],
        ["verify", "a\0b"],
        ["replay"],
        ["juggle"],
        [],
    ],
)
def test_what_cannot_be_read_or_is_unknown_has_exit_status_2(arguments: list[str]) -> None:
    status, lines, said = run(*arguments)
    assert (status, lines) == (2, [])
    assert said


def test_replay_prints_the_last_position_of_each_record(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_bytes(b"".join(path.read_bytes() for path in GAMES))
    status, positions, _ = run("replay", str(file))
    assert status == 0
    stated = [json.loads(path.read_text()) for path in GAMES]
    assert [shown["result"] for shown in positions] == [
        None if record["ended"] else record["result"] for record in stated
    ]
    assert all(list(shown) == POSITION for shown in positions)
    ended = [json.loads(path.read_text())["ended"] for path in GAMES]
    for word, shown in zip(ended, positions, strict=True):
        assert (shown["phase"] == "over") == (shown["legal"] == {}) == (word is None)


def test_replay_with_trace_prints_a_position_per_entry() -> None:
    status, positions, _ = run("replay", "-", "--trace", given=_lines([FINISHED]))
    assert status == 0
    assert len(positions) == len(FINISHED["log"])
    played = replay_record(read_record(FINISHED))
    for shown, state in zip(positions, played.states[1:], strict=True):
        assert [str(seat) for seat in shown["to_move"]] == list(shown["legal"])
        for seat, moves in shown["legal"].items():
            assert moves == [str(move) for move in observe(state, int(seat)).legal]


def test_a_bad_entry_ends_its_record_and_not_the_others() -> None:
    bad = [
        _changed(log=[*FINISHED["log"][:7], [0, "play fish"], *FINISHED["log"][7:]]),
        _changed(log=[*FINISHED["log"][:7], [0, 5]]),
        _changed(log=[*FINISHED["log"], [0, "pass"]]),
        _changed(result={"winners": [1], "reason": "most regions"}),
        _changed(colour="red"),
        _changed(log=[[0, "place roma"]]),
        _changed(log=[FINISHED["log"][0], [FINISHED["first_condottiere"], "place atlantis"]]),
        _changed(log=[[None, "shuffle 10 10 10"]]),
        _changed(log=[FINISHED["log"][0], FINISHED["log"][0]]),
    ]
    entries = [7, 7, len(FINISHED["log"]), len(FINISHED["log"]), None, 0, 1, 0, 1]
    for command in ("replay", "verify"):
        status, lines, _ = run(command, "-", given=_lines([*bad, FINISHED]))
        assert status == 1
        assert [(line["record"], line["entry"]) for line in lines[:-1]] == list(enumerate(entries))
        assert all(set(line) == {"record", "entry", "error"} and line["error"] for line in lines[:-1])
    assert lines[-1] == {"record": 9, "ok": True, "proved": True}


def test_with_trace_the_positions_before_a_bad_entry_come_first() -> None:
    for entry in ([0, "play fish"], [0, 5], 5):
        record = _changed(log=[*FINISHED["log"][:3], entry])
        status, lines, _ = run("replay", "-", "--trace", given=_lines([record]))
        assert status == 1
        assert [list(line) for line in lines] == [POSITION] * 3 + [["record", "entry", "error"]]
        assert lines[-1]["entry"] == 3


GARBAGE = [
    b"not JSON\n",
    b"\n",
    b"[]\n",
    b"null\n",
    b"5\n",
    b'"record"\n',
    b"{}\n",
    b"\xff\xfe\x00\n",
    b"[" * 200_000 + b"\n",
    b"9" * 9_000 + b"\n",
    b'{"format": NaN}\n',
    b'{"format": 1, "format": 2}\n',
    _lines([_changed(log=[[1] * 50_000])]),
    _lines([_changed(players=[["x"] * 5] * 3)]),
    _lines([_changed(edition="\ud800")]),
    _lines([_changed(log=[[None, "shuffle " + "1 " * 500_000]])]),
    _lines([FINISHED])[:-100] + b"\n",
    b"\x00" * 3_000_000 + b"\n",
    b"x" * 20_000_000 + b"\n",
]


def test_garbage_by_the_megabyte_gets_one_line_each_and_the_records_after_it_are_checked() -> None:
    given = b"".join(GARBAGE) + _lines([FINISHED])
    for command in ("replay", "verify"):
        status, lines, _ = run(command, "-", given=given)
        assert status == 1
        assert [line["record"] for line in lines[:-1]] == list(range(len(GARBAGE)))
        assert all(len(line["error"]) < 200 for line in lines[:-1])
        assert lines[-1].get("ok", lines[-1].get("phase")) in (True, "over")


def test_an_empty_file_holds_no_record_and_is_not_called_good() -> None:
    for command in ("verify", "replay"):
        status, lines, said = run(command, "-")
        assert (status, lines) == (2, [])
        assert "no record in standard input" in said
    assert run("verify", "-", given=_lines([FINISHED]).rstrip())[0] == 0


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m games.rules selfplay --games 200 --seed 1 | head -c 100"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, timeout=HANGS, check=False)
    assert done.stderr == b""
    assert len(done.stdout) == 100


@pytest.mark.parametrize(
    "arguments",
    [["selfplay", "--games", "1", "--seed", "1"], ["replay", str(GAMES[0])]],
    ids=["selfplay", "replay"],
)
def test_a_reader_that_is_gone_at_once_is_no_error(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", buffering=1) as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        assert main(arguments) == 0


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("games.rules.__main__.selfplay_game", interrupted)
    assert run("selfplay", "--games", "1", "--seed", "1") == (130, [], "")


def test_the_package_is_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["games.rules", "verify", str(GAMES[0])])
    monkeypatch.delitem(sys.modules, "games.rules.__main__")
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("games.rules", run_name="__main__")
    assert ended.value.code == 0


@pytest.mark.parametrize("value", [None, [], 5, "record", {}])
def test_what_is_no_record_is_refused(value: object) -> None:
    with pytest.raises(InvalidRecord):
        read_record(value)
