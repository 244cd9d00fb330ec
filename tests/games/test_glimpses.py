"""The glimpse of a game is the same whether it was kept up move by move or made at once."""

import json
from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from games.models.glimpses import glimpse_of
from games.rules import Event, State, apply, new_game, parse_move
from tests.rules.random_play import Game, any_game


def positions(game: Game) -> Iterator[tuple[State, tuple[Event, ...]]]:
    """Return each position of the game, and what led to it."""
    state = new_game(game.options, game.players, game.first)
    for seat, text in game.log:
        state, events = apply(state, seat, parse_move(text))
        yield state, events


@given(number=st.integers(0, 10**6))
def test_move_by_move_and_at_once(number: int) -> None:
    kept: dict[str, Any] = {}
    happened: list[Event] = []
    for state, events in positions(any_game(number)):
        kept = json.loads(json.dumps(glimpse_of(state, events, kept)))
        happened += events
        assert kept == json.loads(json.dumps(glimpse_of(state, happened, {})))
