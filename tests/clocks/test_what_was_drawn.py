"""Anyone can check the clock's draws and entries once the game is over."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest

from games.fairness.proof import FairnessProof
from games.models import Game, LogEntry, Seat
from games.narration.roster import roster_at
from games.rules import read_record, record_json, verify
from games.rules.board import REGIONS
from games.selectors.integrity import differences
from games.selectors.records import record_of
from tests.clocks.passing import HOUR, Wall, asked_seat, timed_game
from tests.games.playing import play_until

pytestmark = pytest.mark.django_db


@pytest.fixture
def game(wall: Wall, anna: Any, bruno: Any) -> Game:
    """A finished game, of which the clock chose the first region."""
    game = timed_game([anna, bruno])
    wall.pass_by(96 * HOUR)
    play_until(game, lambda state, decision: False)
    game.refresh_from_db()
    return game


def other_region(game: Game) -> LogEntry:
    """The log says that the clock chose another region."""
    entry = LogEntry.objects.get(game=game, via="clock")
    chosen = next(region for region in REGIONS if entry.move != f"place {region}")
    LogEntry.objects.filter(pk=entry.pk).update(move=f"place {chosen}")
    return entry


@pytest.mark.long
def test_the_record_proves_the_region_that_was_drawn(game: Game) -> None:
    names = roster_at(game.table, None).names
    record = record_of(game, names)
    assert verify(record).proved
    other_region(game)
    forged = read_record(json.loads(json.dumps(record_json(record_of(game, names)))))
    found = verify(forged)
    assert (found.ok, found.entry) == (False, 1)


def test_the_page_about_the_shuffles_shows_it(game: Game) -> None:
    names = roster_at(game.table, None).names
    steps = FairnessProof(game, names, str).steps
    assert [step.is_right for step in steps if step.title == "Regions drawn by the site"] == [True]
    other_region(game)
    steps = FairnessProof(game, names, str).steps
    assert [step.is_right for step in steps if step.title == "Regions drawn by the site"] == [False]


@pytest.mark.long
def test_an_operator_is_told_of_another_region(game: Game) -> None:
    assert differences(game.pk) == []
    other_region(game)
    assert any("the secret draws" in found.what for found in differences(game.pk) or [])


@pytest.mark.parametrize(
    "columns",
    [
        {"due_at": None},
        {"counted_from": None, "time_left": None, "due_at": None, "remind_at": None},
        {"time_left": timedelta(hours=25)},
    ],
)
def test_an_operator_is_told_of_a_deadline_that_does_not_follow(
    wall: Wall, anna: Any, bruno: Any, columns: dict[str, Any]
) -> None:
    game = timed_game([anna, bruno])
    wall.pass_by(10 * HOUR)
    assert differences(game.pk) == []
    Seat.objects.filter(pk=asked_seat(game).pk).update(**columns)
    assert [found.what for found in differences(game.pk) or []] == [
        "a deadline is not what its countdown and calendar lead to"
    ]
