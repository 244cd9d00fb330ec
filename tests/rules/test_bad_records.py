"""Records that are wrong in one thing each: every one gets a line that names record, entry and reason, and
the records after it are still checked. Called in this process, so that what it runs through is measured.
"""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from games.rules import Record, does_not_follow, read_record, record_json, verify
from games.rules.__main__ import main
from tests.rules.command_line import run

GAMES = Path(__file__).parent / "games"


def _fixture(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((GAMES / name).read_text(encoding="utf-8"))
    return loaded


BASE = _fixture("adjacent-regions.json")
POINTS = _fixture("option-playing-for-points.json")
OLD = _fixture("edition-1995.json")
AGREED = _fixture("ended-by-agreement.json")
MATCH = [json.loads(line) for line in (GAMES / "match.jsonl").read_text(encoding="utf-8").splitlines()]
LAST = len(BASE["log"])


def _lines(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def _log(record: dict[str, Any], at: int, *entries: Any) -> dict[str, Any]:
    """Return the record with these entries from number `at` on."""
    return record | {"log": [*record["log"][:at], *entries]}


def _match(target: Any = 20, game: Any = 2, points: Any = (3, 4, 0, 1, 2), **more: Any) -> dict[str, Any]:
    return POINTS | {"match": {"target": target, "game": game, "points": list(points)}} | more


def _final(final_battle: Any, **more: Any) -> dict[str, Any]:
    return MATCH[-1] | {"match": None, "final_battle": final_battle} | more


def _copied(*entries: Any, **more: Any) -> dict[str, Any]:
    parts = [{"entries": number, "commitment": ""} for number in entries]
    return BASE | {"copied": parts, "first_by": "table"} | more


def _without(record: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name != key}


OUT_OF_TURN = next(number for number, (seat, _) in enumerate(BASE["log"]) if number > 4 and seat is not None)
PLACED = next(number for number, (_, text) in enumerate(BASE["log"]) if text.startswith("place"))

BAD: list[tuple[Any, int | None, str]] = [
    ("no record", None, "object"),
    (_without(BASE, "players"), None, "players"),
    (BASE | {"Players": []}, None, "Players"),
    (BASE | {"edition": "2008"}, None, "2008"),
    (BASE | {"variants": ["house-rules"]}, None, "house-rules"),
    (OLD | {"variants": ["hidden-cards"]}, None, "cannot be played in edition '1995'"),
    (BASE | {"players": ["Anna"], "nonces": []}, None, "1"),
    (BASE | {"players": ["Anna"] * 7, "nonces": []}, None, "7"),
    (BASE | {"first_condottiere": 9}, None, "9"),
    (_log(BASE, OUT_OF_TURN, [(BASE["log"][OUT_OF_TURN][0] + 1) % 2, "pass"]), OUT_OF_TURN, "not asked"),
    (_log(BASE, OUT_OF_TURN, [77, "pass"]), OUT_OF_TURN, "not asked"),
    (_log(BASE, OUT_OF_TURN, [-1, "pass"]), OUT_OF_TURN, "not asked"),
    (_log(BASE, OUT_OF_TURN, [10**30, "pass"]), OUT_OF_TURN, "not asked"),
    (_log(BASE, OUT_OF_TURN, [BASE["log"][OUT_OF_TURN][0], "play joker"]), OUT_OF_TURN, "joker"),
    (_log(BASE, PLACED, [BASE["log"][PLACED][0], "place narnia"]), PLACED, "narnia"),
    (_log(BASE, 0, [None, "shuffle 10 10"]), 0, "permutation"),
    (_log(BASE, 0, [None, "shuffle 7"]), 0, "'7'"),
    (_log(BASE, PLACED, [None, BASE["log"][0][1]]), PLACED, "No shuffle is owed"),
    (_log(BASE, 0, [0, "pass"]), 0, "shuffle first"),
    (_log(BASE, LAST, [0, "pass"]), LAST, "over"),
    (BASE | {"result": {"winners": [5], "reason": "most regions"}}, LAST, "result"),
    (BASE | {"result": BASE["result"] | {"reason": "luck"}}, LAST, "result"),
    (BASE | {"result": BASE["result"] | {"points": [0, 0]}}, None, "result"),
    (POINTS | {"result": POINTS["result"] | {"points": [9, 9, 9, 9, 9]}}, len(POINTS["log"]), "result"),
    (POINTS | {"result": POINTS["result"] | {"points": [9, 9]}}, None, "points"),
    (POINTS | {"result": _without(POINTS["result"], "points")}, None, "points"),
    (AGREED | {"result": {"winners": [4], "reason": "agreed"}}, None, "winners"),
    (AGREED | {"result": {"winners": [2, 0], "reason": "agreed"}}, None, "winners"),
    (BASE | {"match": {"target": 20, "game": 1, "points": [0, 0]}}, None, "playing-for-points"),
    (_match(target=0), None, "target"),
    (_match(target=201), None, "target"),
    (_match(target="20"), None, "target"),
    (_match(game=0), None, "game"),
    (_match(game=102), None, "game"),
    (_match(game=101), None, "over before"),
    (_match(game=True), None, "game"),
    (_match(points=(1, 2)), None, "points"),
    (_match(points=(1, 2, 3, 4, -5)), None, "points"),
    (_match(points=(1, 2, 3, 4, 20)), None, "over before"),
    (_match(game=1), None, "first game"),
    (_match(match=5), None, "match"),
    (_match(match={"target": 20}), None, "match"),
    (BASE | {"final_battle": [1, 1]}, None, "playing-for-points"),
    (_final([4]), None, "final_battle"),
    (_final([9, 9]), None, "17"),
    (_final([4, -1]), None, "final_battle"),
    (_final([4, None]), None, "final_battle"),
    (_final([4, 3], match=MATCH[-1]["match"] | {"target": 20}), None, "tied"),
    (_final([4, 3], match=MATCH[-1]["match"] | {"points": [12, 11]}), None, "tied"),
    (_final([4, 3], result=MATCH[-1]["result"] | {"points": [1, 2]}), None, "result"),
    (BASE | {"copied": 5}, None, "copied"),
    (BASE | {"copied": [{"entries": 5}]}, None, "copied"),
    (_copied(-1), None, "entries"),
    (_copied(True), None, "entries"),
    (_copied(9, 9), None, "ascend"),
    (_copied(LAST + 1), None, "in the log"),
    (_copied(5, first_by="draw"), None, "drawn"),
    (_match(copied=[{"entries": 5, "commitment": ""}]), None, "copied"),
    (BASE | {"copied": [{"entries": 5, "commitment": "x"}]}, None, "commitment"),
]


@pytest.mark.parametrize("command", [["replay"], ["replay", "--trace"], ["verify"]], ids=" ".join)
def test_each_bad_record_gets_one_line_and_the_good_ones_after_it_are_read(
    command: list[str],
) -> None:
    given = b"".join(_lines(bad, BASE) for bad, _, _ in BAD)
    status, lines, _ = run(*command, "-", given=given)
    assert status == 1
    errors = [line for line in lines if "error" in line]
    assert [line["record"] for line in errors] == list(range(0, 2 * len(BAD), 2))
    for line, (_, entry, said) in zip(errors, BAD, strict=True):
        assert list(line) == ["record", "entry", "error"]
        if _is_a_shuffle_that_proves_nothing(command, line["error"]):
            continue
        assert (line["entry"], said in line["error"]) == (entry, True), line
        assert len(line["error"]) < 200
        assert line["error"].isascii()
    good = {"replay": "result", "verify": "ok"}[command[0]]
    # With --trace the positions before the bad entry come first; a wrong result is found after the last.
    assert sum(bool(line.get(good)) for line in lines) >= len(BAD)


def _is_a_shuffle_that_proves_nothing(command: list[str], error: str) -> bool:
    """Where moves are wrong too, `verify` first names a deal that no secret made."""
    return command == ["verify"] and error.startswith("shuffle ")


GARBAGE = [
    b"\x00" * 10_000_000,
    b"[" * 10_000_000,
    b"9" * 10_000_000,
    b'"' + b"x" * 10_000_000,
    b'{"format": ' + b'{"a": ' * 1_000_000,
    b"[0]" * 3_000_000,
    _lines(BASE | {"log": [[0, "pass"]] * 300_000})[:-1],
    _lines(BASE | {"log": [[None, "shuffle" + " 1" * 5_000_000]]})[:-1],
    _lines(BASE | {"players": ["x" * 10_000_000]})[:-1],
    b"x" * (1 << 24) + b"xxx",
]


def test_a_closed_input_and_a_full_output_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of other processes, tests/bots/test_bad_arguments.py asks the same; here the lines run are counted."""
    with redirect_stderr(io.StringIO()) as said, Path("/dev/full").open("w", encoding="utf-8") as full:
        monkeypatch.setattr(sys, "stdin", None)
        assert main(["verify", "-"]) == 2
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(_lines(BASE))))
        with redirect_stdout(full):
            assert main(["verify", "-"]) == 2
    closed, no_room = said.getvalue().splitlines()
    assert "standard input is closed. Name a file." in closed
    assert "can't read or write: No space left on device. Make room, or name another file." in no_room


@pytest.mark.parametrize("command", ["replay", "verify"])
@pytest.mark.parametrize("number", range(len(GARBAGE)))
@pytest.mark.long
def test_ten_megabytes_of_garbage_are_one_line(command: str, number: int) -> None:
    status, lines, _ = run(command, "-", given=GARBAGE[number] + b"\n" + _lines(BASE))
    assert (status, len(lines)) == (1, 2)
    assert list(lines[0]) == ["record", "entry", "error"]
    assert len(lines[0]["error"]) < 200
    assert "error" not in lines[1]


def test_only_what_follows_copied_entries_is_proved() -> None:
    """The first shuffle is another game's here; a later one must be the record's own."""
    shuffles = [number for number, (seat, *_) in enumerate(BASE["log"]) if seat is None]
    second = shuffles[1]
    status, lines, _ = run("verify", "-", given=_lines(_copied(second), _copied(0)))
    assert (status, lines[0]) == (0, {"record": 0, "ok": True, "proved": False, "proved_from": second})
    assert lines[1] == {"record": 1, "ok": True, "proved": True}
    strange = BASE["commitment"][:-1] + ("0" if BASE["commitment"][-1] != "0" else "1")
    assert run("verify", "-", given=_lines(_copied(second) | {"commitment": strange}))[0] == 1
    unproved = _copied(second, secret=None)
    assert run("verify", "-", given=_lines(unproved))[1] == [{"record": 0, "ok": True, "proved": False}]


def test_a_whole_match_holds_with_its_final_battle() -> None:
    status, lines, _ = run("verify", "-", given=_lines(*MATCH))
    assert status == 0
    assert lines == [{"record": number, "ok": True, "proved": True} for number in range(len(MATCH))]
    status, positions, _ = run("replay", "-", given=_lines(*MATCH))
    assert status == 0
    assert [position["result"] for position in positions] == [record["result"] for record in MATCH]
    assert [record_json(read_record(record)) for record in MATCH[:-1]] == [
        _without(record, "final_battle") for record in MATCH[:-1]
    ]
    assert record_json(read_record(MATCH[-1])) == MATCH[-1]
    assert MATCH[-1]["final_battle"] is not None
    assert len(MATCH[-1]["players"]) < len(MATCH[0]["players"])


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        ([1, 0], {1: "stands after"}),
        ([0, 2], {1: "stands after"}),
        ([0, 0], {1: "stands after"}),
        ([2, 1], {1: "stands after"}),
        ([1, 2, 0], {2: "stands after"}),
        ([0, 1, 2], {}),
        ([1, 2], {}),
        ([0, "base", 2], {}),  # two records that do not stand together are not compared
    ],
)
def test_games_of_a_match_out_of_order_are_told(
    order: list[Any],
    wrong: dict[int, str],
) -> None:
    records = [BASE if number == "base" else MATCH[number] for number in order]
    status, lines, _ = run("verify", "-", given=_lines(*records))
    assert status == bool(wrong)
    for number, line in enumerate(lines):
        assert line["record"] == number
        assert ("error" in line) == (number in wrong)
        assert wrong.get(number, "") in line.get("error", "")


def test_a_broken_chain_of_secrets_is_told() -> None:
    """Each game proves its own shuffles, but the second was not committed to by the first."""
    unproved = MATCH[1] | {"secret": None, "commitment": "00" * 32}
    status, lines, _ = run("verify", "-", given=_lines(MATCH[0], unproved, MATCH[2]))
    assert status == 1
    assert lines[1] == {
        "record": 1,
        "entry": None,
        "error": "the commitment is not the secret of the game before",
    }
    assert lines[2]["ok"] is True


FIRST, SECOND, FINAL = (read_record(record) for record in MATCH)


def _in_match(record: Record, **changes: Any) -> Record:
    assert record.match is not None
    return replace(record, match=replace(record.match, **changes))


@pytest.mark.parametrize(
    ("before", "record", "said"),
    [
        (FIRST, SECOND, None),
        (SECOND, FINAL, None),
        (SECOND, replace(FINAL, match=None), None),
        (replace(FIRST, match=None), SECOND, None),
        (FIRST, replace(SECOND, match=None), None),
        (replace(FIRST, secret=None), SECOND, None),
        (replace(FIRST, secret=None), _in_match(SECOND, game=5), None),
        (FIRST, _in_match(replace(SECOND, commitment=""), game=5), None),
        (replace(FIRST, nonces=()), SECOND, None),
        (FIRST, replace(SECOND, commitment=SECOND.commitment.upper()), None),
        (FIRST, replace(SECOND, commitment="00" * 32), "commitment"),
        (FIRST, _in_match(SECOND, target=10), "target"),
        (FIRST, replace(SECOND, options=read_record(BASE).options), "variants"),
        (replace(FIRST, result=None), SECOND, "no game"),
        (_in_match(replace(FINAL, secret=None), game=1), SECOND, "no game"),
        (FIRST, replace(SECOND, players=SECOND.players[::-1]), "players"),
        (FIRST, replace(SECOND, nonces=SECOND.nonces[::-1]), "nonces"),
        (FIRST, _in_match(SECOND, points=(8, 4, 4, 5)), "points"),
        (FIRST, replace(SECOND, first_condottiere=1), "starts"),
        (_in_match(FIRST, target=8), _in_match(SECOND, target=8), "over"),
        (SECOND, replace(FINAL, final_battle=(3, 4)), "final battle"),
        (SECOND, replace(FINAL, first_condottiere=0), "starts"),
        (_in_match(SECOND, target=20), _in_match(FINAL, target=20), "final battle"),
        (SECOND, replace(FINAL, final_battle=None), "final battle"),
    ],
)
def test_r28_r29_what_does_not_follow_the_game_before_is_told(
    before: Record, record: Record, said: str | None
) -> None:
    wrong = does_not_follow(before, record)
    assert (wrong is None) == (said is None)
    assert (said or "") in (wrong or "")


def test_a_drawn_first_condottiere_must_be_the_one_drawn() -> None:
    record = replace(FIRST, first_condottiere=(FIRST.first_condottiere + 1) % 4)
    assert verify(record).error == "the first Condottiere is not the one that was drawn"
