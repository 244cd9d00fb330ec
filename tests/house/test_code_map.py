"""The map of the code in CONTRIBUTING.md and tests/README.md list the folders there are, and no others."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
APPS = ("games", "games/chat", "games/leagues", "accounts", "accounts/mail")
DJANGOS_OWN = {"management", "migrations"}

pytestmark = pytest.mark.once


def test_the_map_of_the_code_lists_every_room() -> None:
    block = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("```text\n")[1].split("```")[0]
    rooms = {
        folder.relative_to(ROOT).as_posix()
        for app in APPS
        for folder in [ROOT / app, *(ROOT / app).iterdir()]
        if folder.is_dir() and folder.name not in DJANGOS_OWN and any(folder.rglob("*.py"))
    }
    listed = re.findall(r"^((?:games|accounts)\S*)/ +\S", block, re.MULTILINE)
    assert sorted(listed) == sorted(rooms)


def test_the_page_about_tests_says_what_is_a_test_and_what_a_tool() -> None:
    tests = ROOT / "tests"
    listed = dict(
        re.findall(r"^\| `(\w+)` \| ([\w ]+) \| \S", (tests / "README.md").read_text(), re.MULTILINE)
    )
    kinds = {
        folder.name: " and ".join(_kinds_of(folder))
        for folder in tests.iterdir()
        if any(folder.rglob("*.py"))
    }
    kinds |= {
        path.stem: "tool" if _is_started(path) else "helper"
        for path in tests.glob("*.py")
        if path.stem != "__init__"
    }
    assert listed == kinds


def _kinds_of(folder: Path) -> list[str]:
    has_tests = any(folder.rglob("test_*.py"))
    # A test starts stages, in a process of their own.
    has_tool = any(_is_started(path) for path in folder.rglob("*.py") if path.stem != "stage")
    return ["tests"] * has_tests + ["tool"] * has_tool


def _is_started(path: Path) -> bool:
    return 'if __name__ == "__main__":' in path.read_text(encoding="utf-8")
