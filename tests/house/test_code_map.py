"""The map of the code in CONTRIBUTING.md lists the folders there are, and no others."""

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
