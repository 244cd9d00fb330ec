"""The cases of rulebook.txt, each keyed to the rulings it shows."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from games.rules import Event, Options, State, new_game, position
from games.rules.cards import names
from tests.rules.invariants import no_card_is_lost, something_is_owed
from tests.rules.stage import played, refused, staged

Case = list[tuple[str, str]]


def _cases() -> dict[str, Case]:
    cases: dict[str, Case] = {}
    lines: Case = []
    for line in Path(__file__).with_name("rulebook.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = cases.setdefault(line, [])
            assert not lines, f"told twice: {line}"
        elif line and not line.startswith("#"):
            key, _, value = line.partition(":")
            lines.append((key.strip(), value.strip()))
    return cases


CASES = _cases()


def _seats(text: str) -> tuple[int, ...]:
    return tuple(int(seat) for seat in text.split())


SETTINGS: dict[str, Callable[[str], object]] = {
    "hands": str,
    "lines": str,
    "holder": int,
    "battle": lambda text: None if text == "-" else text,
    "control": str,
    "pope": str,
    "idle": int,
    "battles": int,
    "finalists": _seats,
    "edition": str,
    "variants": lambda text: tuple(text.split()),
    "down": str,
    "pile": str,
    "deal": int,
}


def _set_up(settings: dict[str, Any]) -> State:
    """The table as the case states it: in the middle of a game or, with `deal: PLAYERS`, before its first
    shuffle."""
    players = settings.pop("deal", None)
    if players is None:
        return staged(**settings)
    options = Options(settings.get("edition", "2007"), settings.get("variants", ()))
    return new_game(options, players, settings.get("holder", 0))


def _rows(rows: list[list[str]]) -> str:
    return " | ".join(" ".join(row) or "-" for row in rows)


def _shown(state: State, told: list[Event], key: str) -> str:
    """One thing of a position, or what happened since the case began, as the text file writes it."""
    match key:
        case "told":
            return " ".join(type(event).__name__ for event in told)
        case "down":
            return _rows([list(names(down)) for down in state.face_down])
        case "owed":
            return str(len(state.owed))
        case "pile":
            return " ".join(names(state.pile)) or "-"
        case "sizes":
            return " ".join(str(len(hand)) for hand in state.hands)
        case "result" | "points":
            return _result(position(state)["result"], key)
    return _in_the_position(position(state)[key], key)


def _result(result: dict[str, Any] | None, key: str) -> str:
    if result is None:
        return "-"
    if key == "points":
        return " ".join(map(str, result.get("points", "-")))
    return f"{','.join(map(str, result['winners']))} {result['reason']}"


def _in_the_position(value: Any, key: str) -> str:
    match key:
        case "hands" | "lines":
            return _rows(value)
        case "legal":
            return " ; ".join(next(iter(value.values())))
        case "control":
            return " ".join(f"{region}={seat}" for region, seat in sorted(value.items())) or "-"
        case "passed":
            return " ".join(str(seat) for seat, passed in enumerate(value) if passed) or "-"
        case "strengths" | "to_move":
            return " ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)


@pytest.mark.parametrize("title", CASES)
def test_the_case_of_the_rulebook_holds(title: str) -> None:
    settings = {key: SETTINGS[key](value) for key, value in CASES[title] if key in SETTINGS}
    state = _set_up(settings)
    told: list[Event] = []
    checked = 0
    for key, value in CASES[title]:
        if key == "moves":
            state, events = played(state, *(move for move in value.split(";") if move.strip()))
            told += events
            no_card_is_lost(state)
            something_is_owed(state)
        elif key == "refuse":
            assert refused(state, value)
        elif key.startswith("=>"):
            checked += 1
            assert _shown(state, told, key.removeprefix("=>").strip()) == value
        else:
            assert key in SETTINGS
    assert checked


def test_every_ruling_is_named_by_a_test() -> None:
    """R2, R17's secrecy, R23, R24, R28 to R30 and R40 live in tests of their own; R49 is the table's."""
    words = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.*"))
    named = {
        int(number) for number in re.findall(r"\bR(\d+)\b|_r(\d+)_", words) for number in number if number
    }
    assert set(range(1, 49)) - named == set()
