"""Each sign fails for its own reason alone, also on a new site, and after a week in which it was off."""

from collections import namedtuple
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db.migrations.recorder import MigrationRecorder

from accounts.mail import circuit_breaker
from accounts.mail.delivery import deliver_due
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from condottiere_site.health import disk_sign, migration_sign, readiness, redis_sign
from condottiere_site.health.backup_sign import backup_signs
from condottiere_site.health.deadline_sign import deadline_signs
from condottiere_site.health.email_signs import email_signs, mail_server_signs
from condottiere_site.health.migration_sign import migration_signs
from condottiere_site.health.signs import TITLES, WHAT_TO_DO, Ages, Sign, SignName
from condottiere_site.health.tick_signs import UNLIMITED, tick_signs
from condottiere_site.models import Installation, TaskRun
from games.models import Seat
from tests.games.playing import begin_game

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
WEEK = timedelta(days=7)
Usage = namedtuple("Usage", "total used free")


def ages(after: timedelta = timedelta(0), up_for: float = float("inf")) -> Ages:
    return Ages(NOW + after, up_for)


def failed(signs: list[Sign]) -> set[str]:
    return {sign.about or sign.name for sign in signs if sign.failed}


def run_all_tasks(at: datetime) -> None:
    for task in settings.BEAT_SECONDS:
        run = {"started_at": at, "ended_at": at, "seconds": 0.1}
        TaskRun.objects.update_or_create(task=task, defaults=run)


def queue(not_before: datetime, **columns: object) -> OutgoingEmail:
    key = str(OutgoingEmail.objects.count())
    return OutgoingEmail.objects.create(
        kind="turn", key=key, to_address="anna@example.org", not_before=not_before, **columns
    )


def test_every_sign_has_a_title_and_says_what_to_do() -> None:
    assert set(TITLES) == set(WHAT_TO_DO) == set(SignName)
    looks = {SignName.DATABASE, *readiness.FROM_ROWS, *readiness.FROM_OUTSIDE}
    assert looks == set(SignName)


def test_tasks_that_have_just_run_are_well() -> None:
    run_all_tasks(NOW)
    signs = tick_signs(ages())
    assert failed(signs) == set()
    assert [sign.about for sign in signs] == list(settings.BEAT_SECONDS)


def test_a_worker_or_beat_that_stops_is_seen_within_a_minute() -> None:
    run_all_tasks(NOW)
    soon = failed(tick_signs(ages(timedelta(seconds=55))))
    assert "accounts.mail.tasks.deliver_due" in soon
    assert "games.tasks.run_clock" in soon
    hourly = settings.HOURLY_TASKS
    assert not soon & {*hourly, *UNLIMITED}, "a task that runs each hour is not late after a minute"
    assert failed(tick_signs(ages(timedelta(hours=3)))) == set(settings.BEAT_SECONDS)


def test_a_single_task_that_stands_still_is_named() -> None:
    run_all_tasks(NOW)
    TaskRun.objects.filter(task="games.tasks.remind").update(ended_at=NOW - timedelta(minutes=5))
    assert failed(tick_signs(ages())) == {"games.tasks.remind"}


def test_a_task_that_never_ran_is_late_only_once_the_site_has_been_up_for_its_limit() -> None:
    assert failed(tick_signs(ages(up_for=1))) == set()
    assert "games.tasks.run_clock" in failed(tick_signs(ages(up_for=55)))
    assert failed(tick_signs(ages())) == set(settings.BEAT_SECONDS), "a command has no patience"


def test_a_site_that_was_off_for_a_week_has_time_to_begin() -> None:
    run_all_tasks(NOW)
    queue(NOW)
    for look in (tick_signs, email_signs, deadline_signs, mail_server_signs):
        assert failed(look(ages(WEEK, up_for=2))) == set(), look.__name__
        if look in (tick_signs, email_signs):
            assert failed(look(ages(WEEK))), "but the look is not blind"


def test_a_run_ahead_of_the_clock_is_as_bad_as_an_old_one() -> None:
    """The machine's clock was set back, and no task has run since."""
    run_all_tasks(NOW + timedelta(hours=5))
    assert failed(tick_signs(ages())) == set(settings.BEAT_SECONDS)
    run_all_tasks(NOW + timedelta(seconds=2))
    assert failed(tick_signs(ages())) == set(), "two machines' clocks never quite agree"


def test_an_email_that_waits_too_long_is_late_whoever_is_sending_it() -> None:
    queue(NOW + timedelta(days=1))
    queue(NOW - WEEK, state=OutgoingEmail.State.SENT)
    assert email_signs(ages())[0].value == 0
    queue(NOW, leased_until=NOW + timedelta(hours=1))
    assert failed(email_signs(ages(timedelta(minutes=9)))) == set()
    assert failed(email_signs(ages(timedelta(minutes=11)))) == {"email"}


def test_an_email_that_cannot_be_built_is_late_between_its_tries_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each failed try puts off when it is due."""

    def broken(_email: OutgoingEmail) -> None:
        raise KeyError("no such card")

    monkeypatch.setitem(EMAIL_KINDS, "turn", replace(EMAIL_KINDS["your_turn"], build=broken))
    row = queue(NOW, created_at=NOW)
    for minute in range(12):
        deliver_due(NOW + timedelta(minutes=minute))
    row.refresh_from_db()
    assert row.not_before > NOW + timedelta(minutes=12)
    assert failed(email_signs(ages(timedelta(minutes=9)))) == set()
    assert failed(email_signs(ages(timedelta(minutes=11)))) == {"email"}
    monkeypatch.setitem(EMAIL_KINDS, "turn", replace(EMAIL_KINDS["your_turn"], build=lambda _email: None))
    deliver_due(NOW + timedelta(hours=3))
    assert failed(email_signs(ages(timedelta(hours=3)))) == set()


def test_a_mail_server_has_failed_after_two_tries_but_not_after_one() -> None:
    queue(NOW)
    circuit_breaker.record_outage(NOW, "no route to host")
    assert failed(mail_server_signs(ages(timedelta(seconds=9)))) == set()
    assert failed(mail_server_signs(ages(timedelta(seconds=21)))) == {"mail_server"}
    circuit_breaker.record_success(NOW)
    assert failed(mail_server_signs(ages(timedelta(seconds=21)))) == set()


def test_an_outage_that_no_email_can_end_is_not_held_against_the_server() -> None:
    """Its last email became unnecessary: until there is another, no one tries the server."""
    email = queue(NOW)
    circuit_breaker.record_outage(NOW, "no route to host")
    OutgoingEmail.objects.filter(pk=email.pk).update(state=OutgoingEmail.State.OVERTAKEN)
    assert failed(mail_server_signs(ages(timedelta(days=1)))) == set()


def test_a_deadline_is_late_when_the_clock_has_not_played(anna: User, bruno: User, carla: User) -> None:
    assert deadline_signs(ages())[0].value == 0
    game = begin_game([anna, bruno, carla], pace="hours", hours="all")
    seat = Seat.objects.filter(table=game.table, due_at__isnull=False).first()
    assert seat is not None
    assert seat.due_at is not None
    after = seat.due_at - NOW
    assert failed(deadline_signs(ages(after - timedelta(seconds=1)))) == set()
    assert failed(deadline_signs(ages(after + timedelta(minutes=9)))) == set()
    assert failed(deadline_signs(ages(after + timedelta(minutes=11)))) == {"deadlines"}
    assert failed(deadline_signs(ages(after + WEEK, up_for=60))) == set()


def test_a_change_that_the_database_lacks_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    applied = set(MigrationRecorder.Migration.objects.values_list("app", "name"))
    monkeypatch.setattr(migration_sign, "_known", lambda: frozenset(list(applied)[:-1]))
    assert migration_signs(ages()) == [
        Sign(SignName.MIGRATIONS, False, 0, 0, migration_signs(ages())[0].unit)
    ]
    monkeypatch.setattr(migration_sign, "_known", lambda: frozenset({*applied, ("games", "9999_more")}))
    (sign,) = migration_signs(ages())
    assert (sign.failed, sign.value) == (True, 1)


@pytest.mark.parametrize(
    ("total", "free", "fails"),
    [
        (100 * 1024**3, 2 * 1024**3, False),
        (100 * 1024**3, 1024**3 - 1, True),
        (16 * 1024**2, 1024**2, False),
        (16 * 1024**2, 700 * 1024, True),
    ],
)
def test_a_disk_needs_a_gigabyte_or_a_small_one_a_twentieth(
    monkeypatch: pytest.MonkeyPatch, total: int, free: int, fails: bool
) -> None:
    monkeypatch.setattr(disk_sign.shutil, "disk_usage", lambda _folder: Usage(total, total - free, free))
    (sign,) = disk_sign.disk_signs()
    assert (sign.failed, sign.value) == (fails, free)


def test_redis_counts_only_if_the_site_has_one(settings: Any) -> None:
    settings.REDIS_URL = None
    assert redis_sign.redis_signs() == []
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert failed(redis_sign.redis_signs()) == {"redis"}


@pytest.mark.parametrize(
    ("days", "fails"), [(0, False), (2, False), (2.1, True), (400, True), (-1, False), (-3, True)]
)
def test_an_old_backup_is_a_sign_and_so_is_one_of_a_wrong_clock(days: float, fails: bool) -> None:
    made_at = NOW - timedelta(days=days)
    Installation.objects.create(pk=1, version="0.1.0", backup_made_at=made_at)
    (sign,) = backup_signs(ages(up_for=60))
    assert sign.failed == fails
    assert sign.value == abs(days) * 86_400


def test_a_site_that_never_made_a_backup_has_no_such_sign() -> None:
    assert backup_signs(ages()) == []
    Installation.objects.create(pk=1, version="0.1.0")
    assert backup_signs(ages()) == []
