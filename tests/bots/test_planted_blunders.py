"""The analysis names a blunder: in games by Captains, one decision is replaced by the worst legal one."""

from __future__ import annotations

import re

import pytest

from games.bots.planted_blunders import FIRST, PlantedGame, described, is_named, planted_game
from games.bots.strategist import Budget
from games.rules import Options, replay

pytestmark = pytest.mark.once

SEATS = 3


def test_a_planted_blunder_is_a_legal_move_of_a_whole_game(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.bots.planted_blunders.LEAST_COST", 0.05)
    monkeypatch.setattr("games.bots.strategist.judging.DEALS", 6)
    game = planted_game(SEATS, "1/0", Budget(6))
    assert game == planted_game(SEATS, "1/0", Budget(6))
    assert game.planted is not None
    assert game.planted >= FIRST
    played = replay(Options(), SEATS, 0, game.log)
    assert played.state.is_over
    assert game.log[game.planted][0] is not None


def test_what_cost_nothing_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.bots.strategist.judging.DEALS", 2)
    game = planted_game(SEATS, "1/0", Budget(1))
    shuffle = next(place for place, (seat, _move) in enumerate(game.log) if seat is None)
    assert not is_named(PlantedGame(game.log[:20], shuffle), SEATS, Budget(1))


@pytest.mark.long
def test_planted_blunders_are_among_the_three_that_are_named() -> None:
    found = re.fullmatch(r"named (\d+) of (\d+): .*", list(described(12, SEATS, "1", Budget(40)))[-1])
    assert found
    named, planted = map(int, found.groups())
    assert planted >= 6
    assert named / planted >= 0.6  # of so few; docs/DEVELOPING.md has the share of many
