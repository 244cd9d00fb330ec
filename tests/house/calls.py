"""Count what one GET of the game page and one POST of a move run through, in the tests' world.

A part of `python -m tests.house.figures`, which runs it with pytest and reads the file that it writes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import time_machine
from django.test.signals import template_rendered

from tests.access.world import Address, World
from tests.clocks.passing import MONDAY
from tests.house.figures import ROOMS, ROOT

OWN = tuple(f"{ROOT / room}{os.sep}" for room in ROOMS)
PAGE, MOVE = Address("game", ("game_id",)), Address("game_move", ("game_id",))
ABOUT, READER = "running", "asked"  # a battle in which this player may pass

pytestmark = pytest.mark.django_db


@dataclass
class Count:
    """Calls of our own functions, the files they are in, and the calls from another of our files."""

    calls: int = 0
    between_files: int = 0
    files: set[str] = field(default_factory=set)

    def note(self, frame: FrameType, event: str, _argument: Any) -> None:
        """Note one event of the profiler."""
        here = frame.f_code.co_filename
        if event == "call" and here.startswith(OWN):
            self.calls += 1
            self.files.add(here)
            caller = frame.f_back.f_code.co_filename if frame.f_back else ""
            self.between_files += caller.startswith(OWN) and caller != here


@pytest.fixture(autouse=True)
def _the_clock_stands() -> Iterator[None]:
    with time_machine.travel(MONDAY, tick=False):
        yield


def test_what_a_page_and_a_move_run_through() -> None:
    world, keys = World(), list[int]()

    def note_keys(context: Any, template: Any, **_rest: Any) -> None:
        if template.name == "games/game.html":
            keys.append(len(context.dicts[-1]))

    def get() -> Any:
        return world.ask(READER, "GET", world.address(PAGE, ABOUT), {})

    def post() -> Any:
        return world.ask(READER, "POST", world.address(MOVE, ABOUT), world.form(MOVE.name, ABOUT))

    template_rendered.connect(note_keys)
    assert get().status_code == 200  # what is made once for all pages is made here
    assert post().status_code == 302
    template_rendered.disconnect(note_keys)
    page, move = _counted(get), _counted(post)
    told = {
        "keys in the context of the game page": keys[0],
        "files that one GET of the game page runs through": len(page.files),
        "calls from file to file in that GET": page.between_files,
        "own calls of one POST of a move": move.calls,
        "files that this POST runs through": len(move.files),
    }
    Path(os.environ["COUNT_INTO"]).write_text(json.dumps(told), encoding="utf-8")


def _counted(work: Callable[[], Any]) -> Count:
    count = Count()
    sys.setprofile(count.note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
