"""What a change of a seat's holder tells of the previous one: whether a bot was playing for them."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest

from accounts import clock
from games.models import Game, SeatChange, TimeEvent
from tests.games.playing import begin_game

pytestmark = pytest.mark.django_db

STEPS = ("stood in", "back", "change")


def test_whether_the_previous_holder_was_away(people: list[Any]) -> None:
    """All that can happen in five steps, two in the first game of a match and three early in the second."""
    first = begin_game(people, pace="day")
    second = Game.objects.get(pk=first.pk)
    second.pk, second.number = None, 2
    second.save()
    begun, expected = clock.now(), {}
    for seat, steps in enumerate(product(STEPS, repeat=5)):
        is_away = False
        for number, step in enumerate(steps):
            game, ply = (first, 50 + number) if number < 2 else (second, number)
            where = {"game": game, "seat": seat, "ply": ply, "at": begun + timedelta(hours=number)}
            if step == "change":
                change = SeatChange.objects.create(before=people[0], after=people[1], **where)
                expected[change.pk], is_away = is_away, False
            else:
                TimeEvent.objects.create(kind=step, **where)
                is_away = step == "stood in"
    assert {change.pk: change.was_away for change in SeatChange.objects.to_tell()} == expected
