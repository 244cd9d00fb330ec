"""Others read what a target gets, so it's the same whatever the cards are that they can't see (R17)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from accounts import clock
from accounts.push.models import TargetNotice
from accounts.push.target_sending import send_due
from games.models import Game, Seat
from tests.clocks.passing import HOUR, MONDAY, Wall
from tests.clocks.test_secret_decisions import stored, two_worlds
from tests.push.receivers import DISCORD, NTFY, PROGRAM, SLACK, Receiver

pytestmark = pytest.mark.django_db

NUMBERS = re.compile(rb"/(games|tables)/\d+/")  # of a game, which is another one in each world


@pytest.fixture
def wall() -> Iterator[Wall]:
    """A clock at a Monday noon, until the test moves it."""
    moved = Wall()
    with clock.use_clock(moved):
        yield moved


def test_two_worlds_that_differ_in_a_hidden_card_send_the_same_bytes(
    wall: Wall,
    anna: Any,
    bruno: Any,
    carla: Any,
    signed_in: Any,
    receiver: Receiver,
) -> None:
    for person, hosts in ((anna, (DISCORD, PROGRAM)), (bruno, (SLACK,)), (carla, (NTFY,))):
        for host in hosts:
            assert signed_in(person).post("/me/channels/", receiver.form(host)).status_code == 302
        person.refresh_from_db()
    stories = [story(wall, [anna, bruno, carla], log, receiver) for log in two_worlds()]
    assert stories[0] == stories[1]
    assert stories[0] != []


def story(wall: Wall, people: list[Any], log: Any, receiver: Receiver) -> list[tuple[int, str, str, bytes]]:
    """Return what arrives where and when, from a secret decision until the clock has answered others, too."""
    wall.now = MONDAY
    game = stored(people, log, most_misses=9)
    TargetNotice.objects.exclude(context__decision_step=game.step).delete()  # of the game's beginning
    assert game.phase == "hand"
    told = []
    for hours in (0, 12, 24, 30):
        wall.pass_to(MONDAY + hours * HOUR)
        receiver.clear()
        while send_due(wall.now + HOUR):
            pass
        told += sorted((hours, one.host, one.path, NUMBERS.sub(rb"/\1/", one.body)) for one in receiver.got)
    assert Game.objects.get(pk=game.pk).phase != "hand"
    Seat.objects.update(
        due_at=None, remind_at=None, decision_step=None, pending_decision=None, asked_since=None
    )
    return told
