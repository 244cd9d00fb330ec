"""A site moves from SQLite to PostgreSQL by Django's own commands (docs/HOSTING.md)."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from games.models import Game, LogEntry
from tests.access.world import World

pytestmark = pytest.mark.django_db


def dumped(path: Path) -> Any:
    call_command("dumpdata", exclude=["contenttypes", "auth"], output=str(path), verbosity=0)
    text = path.read_text().replace(".000Z", "Z")  # left out where there are no microseconds
    return {(row["model"], row["pk"]): row["fields"] for row in json.loads(text)}


def test_all_rows_come_through_a_dump(tmp_path: Path) -> None:
    World()
    before = dumped(tmp_path / "site.json")
    LogEntry.objects.all().delete()
    Game.objects.update(nonces=[])
    call_command("loaddata", str(tmp_path / "site.json"), verbosity=0)
    assert dumped(tmp_path / "again.json") == before
