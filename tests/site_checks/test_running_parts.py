"""The parts of a running site: signs of health as lines, and the last backup."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as django_settings

from accounts import clock
from accounts.mail.models import MailServerHealth, OutgoingEmail
from accounts.mail.outbox import queue
from condottiere_site.models import Installation, TaskRun
from condottiere_site.site_checks.check_results import CheckOutcome, CheckResult
from condottiere_site.site_checks.running_checks import check_backup, check_signs
from tests.servers import free_port

pytestmark = pytest.mark.django_db(transaction=True)


def every_task_ran(ago: timedelta = timedelta(0)) -> None:
    ended = clock.now() - ago
    for task in django_settings.BEAT_SECONDS:
        TaskRun.objects.create(task=task, started_at=ended, ended_at=ended, seconds=0.1)


def _lines() -> dict[str, CheckResult]:
    return {line.name: line for line in check_signs()}


def test_a_site_whose_parts_run_passes() -> None:
    every_task_ran()
    found = _lines()
    assert {line.outcome for line in found.values()} == {CheckOutcome.OK}, found
    assert {"database", "redis", "worker and beat", "outbox", "deadlines", "disk"} <= set(found)


def test_a_worker_that_stands_still_is_named_by_its_tasks() -> None:
    assert "Never ran: " in _lines()["worker and beat"].sentence
    every_task_ran(timedelta(hours=12))
    line = _lines()["worker and beat"]
    assert line.outcome == CheckOutcome.FAILED
    assert "43200 s ago" in line.sentence
    assert " more." in line.sentence
    assert "worker and beat" in line.advice


def test_a_redis_that_does_not_answer_fails(settings: Any) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{free_port()}/0"
    assert _lines()["redis"].outcome == CheckOutcome.FAILED
    settings.REDIS_URL = None
    assert _lines()["redis"].outcome == CheckOutcome.SKIPPED


def test_the_mail_servers_own_words_are_told() -> None:
    queue("account", to="you@example.net", key="late", context={"notice": "account_deleted"})
    OutgoingEmail.objects.update(not_before=clock.now() - timedelta(hours=1))
    since = clock.now() - timedelta(hours=1)
    MailServerHealth.objects.create(pk=1, failing_since=since, breaks=3, last_error="454 4.7.0 try later")
    found = _lines()
    assert "454 4.7.0 try later" in found["mail outage"].sentence
    assert found["outbox"].outcome == CheckOutcome.FAILED
    assert "3600 s" in found["outbox"].sentence


def test_the_age_of_the_last_backup() -> None:
    assert check_backup().outcome == CheckOutcome.WARNING
    row = Installation.objects.create(version="1", backup_made_at=clock.now() - timedelta(hours=3))
    assert check_backup().sentence == "The last automatic backup is 3 hours old."
    row.backup_made_at = clock.now() - timedelta(days=5)
    row.save()
    found = check_backup()
    assert (found.outcome, found.sentence) == (
        CheckOutcome.FAILED,
        "The last automatic backup is 5 days old.",
    )
    assert "--keep" in found.advice
