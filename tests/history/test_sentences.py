"""Events as sentences: what is dealt alike is told at once, and what is only chosen is not told as done."""

from __future__ import annotations

import pytest

from games.models import Game
from games.narration.moves import narrate
from games.presenters.chapters import chapters
from games.presenters.game_view import GameView
from games.rules import Replay, observe, redact
from games.rules.events import CardsDealt, RoundEnded
from tests.rules.stage import staged

NAMES = ("Anna", "Bruno", "Carla")


def dealt(*counts: int) -> tuple[CardsDealt, ...]:
    return tuple(CardsDealt(seat, n, ("1",) * n) for seat, n in enumerate(counts))


@pytest.mark.parametrize(
    ("counts", "viewer", "told"),
    [
        ((10, 10, 10), None, ["Everybody got 10 cards."]),
        ((1, 1, 1), None, ["Everybody got 1 card."]),
        ((2, 3, 2), None, ["Anna and Carla got 2 cards each.", "Bruno got 3 cards."]),
        ((2, 2, 2), 1, ["Anna and Carla got 2 cards each.", "Bruno got 2 cards: 1, 1."]),
        ((2, 3, 1), 1, ["Anna got 2 cards.", "Bruno got 3 cards: 1, 1, 1.", "Carla got 1 card."]),
    ],
)
def test_equal_dealings_are_one_sentence(
    counts: tuple[int, ...], viewer: int | None, told: list[str]
) -> None:
    events = redact(dealt(*counts), viewer)
    assert narrate(events, NAMES) == told
    (chapter,) = chapters([events], lambda ply: NAMES, {}, "")
    assert list(chapter.sentences) == told


def test_dealings_with_something_between_them_stay_apart() -> None:
    events = (*redact(dealt(2, 2, 2), None), RoundEnded(None), *redact(dealt(2, 2, 2), None))
    assert len(narrate(events, NAMES)) == 3


def test_a_choice_is_not_told_as_done() -> None:
    state = staged("scarecrow 5|6|1", "-|2|3")
    view = GameView(Game(), Replay((), (), state, None), NAMES, 0)
    (scarecrow,) = [choice for choice in view.choices.every if "Scarecrow" in choice.name]
    assert scarecrow.name == "Play a Scarecrow and take nothing"
    assert scarecrow.follows == "Your total becomes 0."
    assert observe(state, 0).legal
