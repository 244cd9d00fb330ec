"""The cases of rulebook.txt, each keyed to the rulings it shows."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from games.rules import State, position
from tests.rules.stage import played, refused, staged

Case = list[tuple[str, str]]


def _cases() -> dict[str, Case]:
    cases: dict[str, Case] = {}
    lines: Case = []
    for line in Path(__file__).with_name("rulebook.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = cases.setdefault(line, [])
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
}


def _rows(rows: list[list[str]]) -> str:
    return " | ".join(" ".join(row) or "-" for row in rows)


def _shown(state: State, key: str) -> str:
    """One thing of a position, as the text file writes it."""
    value = position(state)["hands" if key == "sizes" else key]
    match key:
        case "hands" | "lines":
            return _rows(value)
        case "sizes":
            return " ".join(str(len(hand)) for hand in value)
        case "legal":
            return " ; ".join(next(iter(value.values())))
        case "control":
            return " ".join(f"{region}={seat}" for region, seat in sorted(value.items())) or "-"
        case "passed":
            return " ".join(str(seat) for seat, passed in enumerate(value) if passed) or "-"
        case "result":
            return f"{','.join(map(str, value['winners']))} {value['reason']}" if value else "-"
        case "strengths" | "to_move":
            return " ".join(map(str, value)) or "-"
    return "-" if value is None else str(value)


@pytest.mark.parametrize("title", CASES)
def test_the_case_of_the_rulebook_holds(title: str) -> None:
    settings = {key: SETTINGS[key](value) for key, value in CASES[title] if key in SETTINGS}
    state = staged(**settings)  # type: ignore[arg-type]
    checked = 0
    for key, value in CASES[title]:
        if key == "moves":
            state, _ = played(state, *(move for move in value.split(";") if move.strip()))
        elif key == "refuse":
            assert refused(state, value)
        elif key.startswith("=>"):
            checked += 1
            assert _shown(state, key.removeprefix("=>").strip()) == value
        else:
            assert key in SETTINGS
    assert checked


def test_every_ruling_of_the_base_game_is_named_by_a_test() -> None:
    """R2, R17's secrecy, R23 and R24 live in tests of their own."""
    words = "\n".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.*"))
    named = {
        int(number) for number in re.findall(r"\bR(\d+)\b|_r(\d+)_", words) for number in number if number
    }
    assert set(range(1, 25)) <= named
