"""How many statements a clock task puts to the database when nothing is due, at most: one more fails.

They are as many with more seasons in play. Each costs some milliseconds of processor time every few seconds.
"""

from __future__ import annotations

from importlib import import_module

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from condottiere_site.celery import app
from games.leagues.services.league_tick import run_seasons
from tests.clocks.passing import Wall
from tests.leagues.world import a_running_season, people

pytestmark = [pytest.mark.django_db, pytest.mark.once]

MOST = {
    "accounts.mail.tasks.deliver_due": 1,
    "accounts.push.tasks.send_due": 2,
    "accounts.push.tasks.send_due_to_targets": 2,
    "games.tasks.think": 3,
    "games.tasks.run_clock": 12,
    "games.tasks.remind": 1,
    "games.tasks.run_hours": 3,
    "games.tasks.judge_deals": 1,
    "games.tasks.open_seals": 1,
    "games.leagues.tasks.run_seasons": 13,
    "games.leagues.tasks.notify_organisers": 7,
    "games.tasks.tell_of_open_tables": 1,
    "accounts.mail.tasks.fetch_mail": 1,
    "condottiere_site.tasks.tell_of_failures": 2,
}
OFTEN = [task for task, seconds in settings.BEAT_SECONDS.items() if seconds <= 60]
MOST_TICKS = 30  # until nothing is due

for _task in OFTEN:
    import_module(_task.rpartition(".")[0])


def begin_season(wall: Wall, number: int) -> None:
    """A season with a table in play."""
    players = people(4, f"Season{number}player")
    a_running_season(players[0], players)
    assert run_seasons(wall.now)


def statements(task: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert not app.tasks[task].apply().result, task
    return sum(not query["sql"].startswith(("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")) for query in captured)


def idle_ticks() -> dict[str, int]:
    """Return the statements of each task, once none has anything left to do."""
    for _tick in range(MOST_TICKS):
        done = [app.tasks[task].apply().result for task in OFTEN]
        if not any(done):
            return {task: statements(task) for task in OFTEN}
    raise AssertionError("each tick finds something to do")


def test_idle_ticks_put_few_statements_however_many_seasons_are_played(wall: Wall) -> None:
    begin_season(wall, 1)
    alone = idle_ticks()
    for number in range(2, 5):
        begin_season(wall, number)
    assert idle_ticks() == alone
    assert alone.keys() == MOST.keys()
    assert {task: count for task, count in alone.items() if count > MOST[task]} == {}
