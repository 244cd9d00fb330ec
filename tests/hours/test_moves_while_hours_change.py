"""A calendar changes during games: no deadlock, and every deadline follows the new hours."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import time
from typing import Any

import pytest
from django.db import connection

from accounts.availability import announce_holiday, cancel_holiday, change, today_of
from accounts.working_hours import DAY
from games.clocks.countdowns import countdown_of, due_of
from games.clocks.counted_hours import calendars_for
from games.models import Game, Seat, Table
from tests.games.playing import answer, begin_game, legal_texts
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

MOVES, CHANGES = 60, 20


def play(game: Game) -> None:
    for _move in range(MOVES):
        if not Game.objects.get(pk=game.pk).is_over:
            answer(game, legal_texts(game)[0])


def live(person: Any, bedtime: int) -> None:
    """A person who keeps changing their hours."""
    for number in range(CHANGES):
        rises = time((bedtime + 1 + number) % 24)
        change(person, quiet_from=time(bedtime), quiet_until=rises, days_off=[number % 7])
        day = today_of(person) + (2 + number) * DAY
        holiday = announce_holiday(person, day, day)
        if number % 2:
            cancel_holiday(person, holiday.pk)


def alone(work: Callable[..., None], *about: Any) -> None:
    try:
        work(*about)
    finally:
        connection.close()


def is_by_its_calendars(seat: Seat) -> bool:
    game, seats = Game.objects.get(table=seat.table_id), Seat.objects.people().filter(table=seat.table_id)
    countdown = countdown_of(seat)
    assert countdown is not None
    return seat.due_at == due_of(countdown, calendars_for(seat, seat.table, game, seats))


@pytest.mark.long
def test_deadlines_agree_with_the_calendars_no_matter_who_was_first(
    anna: Any, bruno: Any, carla: Any
) -> None:
    games = [begin_game([anna, bruno, carla], pace=Table.Pace.DAY) for _two in range(2)]
    with ThreadPoolExecutor(4) as threads:
        works = [threads.submit(alone, play, game) for game in games]
        works += [threads.submit(alone, live, *each) for each in ((anna, 20), (bruno, 1))]
        for work in works:
            work.result(HANGS)
    asked = Seat.objects.filter(due_at__isnull=False).select_related("user", "table")
    assert asked
    assert all(is_by_its_calendars(seat) for seat in asked)
