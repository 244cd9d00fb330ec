"""The worked examples of standing orders are what an order does."""

import pytest

from games.orders import HOLD, Fight, Stop, Why, answer
from games.rulebook.examples import EXAMPLES
from games.rulebook.staging import play
from games.rules import Move, observe, pending, redact

pytestmark = pytest.mark.once
ANNA, BRUNO = range(2)
GIVEN = 2  # with Anna's first card, which is the second move shown


@pytest.mark.parametrize("key", ["standing-order", "standing-order-ends"])
def test_each_example_plays_what_the_order_answers(key: str) -> None:
    played = play(EXAMPLES[key].script)
    turns = [at for at, ply in enumerate(played.plies) if at >= GIVEN and ply.seat == ANNA]
    assert len(turns) == 2
    for at in turns:
        assert answered(key, at) == played.plies[at].move


def test_the_order_that_ends_asks() -> None:
    played = play(EXAMPLES["standing-order-ends"].script)
    assert pending(played.states[-1])[0].seat == ANNA
    assert answered("standing-order-ends", len(played.plies)) == Stop(Why.SPECIAL, BRUNO, "winter")


def test_the_order_to_hold_passes_once_everyone_else_has() -> None:
    played = play(EXAMPLES["standing-order-holds"].script)
    given = max(at for at, ply in enumerate(played.plies) if str(ply.move) == "play 4") + 1
    (last,) = [at for at, ply in enumerate(played.plies) if at >= given and ply.seat == ANNA]
    since = redact([event for ply in played.plies[given:last] for event in ply.events], ANNA)
    assert answer(HOLD, observe(played.states[last], ANNA), since) == played.plies[last].move


def answered(key: str, at: int) -> Move | Stop:
    """Return what Anna's order answers before this move of the example."""
    played = play(EXAMPLES[key].script)
    since = redact([event for ply in played.plies[GIVEN:at] for event in ply.events], ANNA)
    seen = observe(played.states[at], ANNA)
    return answer(Fight(("4", "5"), 12), seen, since)
