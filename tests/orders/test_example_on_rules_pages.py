"""The worked example of a standing order is what an order does."""

import pytest

from games.orders import Fight, Stop, Why, answer
from games.rulebook.examples import EXAMPLES
from games.rulebook.staging import play
from games.rules import observe, pending, redact

pytestmark = pytest.mark.once
ANNA, BRUNO = range(2)


def test_the_example_plays_what_the_order_answers() -> None:
    played = play(EXAMPLES["standing-order"].script)
    order, first = Fight(("4", "5"), 12), 2  # given with Anna's first card, which is the second move shown
    turns = [
        at
        for at, ply in enumerate(played.plies)
        if ply.seat == ANNA and ply.move.kind == "play" and at >= first
    ]
    for at in turns:
        since = redact([event for ply in played.plies[first:at] for event in ply.events], ANNA)
        assert answer(order, observe(played.states[at], ANNA), since) == played.plies[at].move
    assert [played.plies[at].move.card for at in turns] == ["4", "5"]
    since = redact([event for ply in played.plies[first:] for event in ply.events], ANNA)
    assert pending(played.states[-1])[0].seat == ANNA
    assert answer(order, observe(played.states[-1], ANNA), since) == Stop(Why.SPECIAL, BRUNO, "winter")
