"""What is measured: a game in the middle of a battle, with a clock, chat and a past, among other games."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from accounts.models import User
from games.bots import choose
from games.chat.services import write
from games.models import Game
from games.models.replay import replayed
from games.rules import State, observe, pending
from tests.games.playing import begin_game, seat_table, submit
from tests.people import proven

NAMES = ("Anna", "Bruno", "Carla", "Dario")


@dataclass(frozen=True)
class Stage:
    """A viewer and a game."""

    reader: User
    game: Game


def set_stage(games: int = 6) -> Stage:
    """Anna is to move in a battle of four; other games wait, and other tables need players."""
    people = [proven(f"{name.lower()}@example.org", name) for name in NAMES]
    game = _play(begin_game(people, pace="day", watch="anyone"), _anna_fights)
    _chat(game, people)
    for _number in range(games):
        _play(begin_game(people, pace="day"), lambda state: state.ply > 20)
    for number in range(8):
        seat_table([people[number % 4]], size=4, name=f"Table {number}", pace="day")
    return Stage(people[0], game)


def _anna_fights(state: State) -> bool:
    return (
        state.ply > 60
        and state.phase == "battle"
        and pending(state)[0].seat == 0
        and sum(map(len, state.lines)) >= 6
    )


def _play(game: Game, enough: Any) -> Game:
    random.seed(4)
    while not game.is_over and not enough(state := replayed(game).state):
        decision = pending(state)[0]
        move = choose("captain", observe(state, decision.seat))
        submit(game, decision.seat, move, decision.decision_step, "web")
        game.refresh_from_db()
    return game


def _chat(game: Game, people: list[User]) -> None:
    said = "I leave Siena to you if you leave Roma to me."
    for number in range(8):
        write(game.table.seats.get(user=people[number % 4]), f"{said} ({number})")
