"""How many statements each clock task puts when nothing is due: one more fails, and fewer change the number.

They don't grow with seasons: three run by default, and a hundred with `--long`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from condottiere_site.celery import app
from games.leagues.models import LeagueTable, Season
from tests.leagues.world import a_running_season
from tests.load.copying import copy_since, marks

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

for _task in settings.BEAT_SECONDS:
    import_module(_task.rpartition(".")[0])

IDLE = {
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
    "condottiere_site.tasks.tell_of_failures": 1,
    "accounts.tasks.delete_unconfirmed_accounts": 1,
    "accounts.tasks.delete_ended_sessions": 2,
    "accounts.tasks.delete_old_counts": 2,
    "accounts.mail.tasks.delete_old_emails": 6,
    "games.tasks.delete_old_practice": 1,
    "games.tasks.begin_next_games": 1,
    "games.tasks.close_unfilled": 1,
    "games.tasks.forget_old_invitations": 1,
    "games.leagues.tasks.forget_what_is_over": 2,
    "games.leagues.tasks.tell_standings": 1,
}


def done_by(task: str) -> int:
    """Run a clock task once; return how much it did."""
    result = app.tasks[task].apply()
    assert result.successful(), result.traceback
    return int(result.result or 0)


def statements_of(task: str) -> int:
    """Return how many statements a clock task puts that has nothing to do."""
    found = list[str]()

    def note(execute: Any, sql: str, *rest: Any) -> Any:
        found.append(sql)
        return execute(sql, *rest)

    with connection.execute_wrapper(note):
        assert done_by(task) == 0, task
    return len(found)


def test_clock_tasks_put_the_same_few_statements_however_many_seasons_run(
    anna: User, bruno: User, carla: User, stranger: User, long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What other tests left in Redis may look like a failure, which would be noted.
    monkeypatch.setattr("condottiere_site.health.alerts.current_signs", list)
    # When a task ran is stored every few seconds, so after whichever run is the next.
    monkeypatch.setattr("condottiere_site.health.task_runs._store", lambda *_run: None)
    before, seasons = marks(), 100 if long else 3
    a_running_season(anna, [anna, bruno, carla, stranger])
    done_by("games.leagues.tasks.run_seasons")
    copy_since(before, seasons - 1)
    assert Season.objects.filter(state=Season.State.RUNNING).count() == seasons
    assert LeagueTable.objects.running().count() == seasons
    OutgoingEmail.objects.all().delete()
    while sum([done_by(task) for task in settings.BEAT_SECONDS]):
        pass  # what the first ticks have to do
    assert {task: statements_of(task) for task in settings.BEAT_SECONDS} == IDLE
