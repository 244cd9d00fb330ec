"""Operators get one email a day at most about a site that fails, and a line on every page."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.core import mail
from django.db import connection
from django.test import Client

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import MailServerHealth, OutgoingEmail
from accounts.mail.subscriptions import Subscription, unsubscribe
from accounts.models import User
from condottiere_site import context_processors
from condottiere_site.celery import app
from condottiere_site.health import alerts, readiness
from condottiere_site.health.signs import Sign, SignName
from condottiere_site.models import Installation, SiteHealth, TaskRun
from tests.clocks.passing import Wall
from tests.clocks.racing import at_once
from tests.journeys.visiting import page_in

pytestmark = pytest.mark.django_db

TASK = "condottiere_site.tasks.tell_of_failures"
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
WELL = [Sign(SignName.DISK, False), Sign(SignName.MAIL_SERVER, False)]
NO_ROOM = [Sign(SignName.DISK, True), Sign(SignName.MAIL_SERVER, False)]
NO_ROOM_AND_NO_MAIL = [Sign(SignName.DISK, True), Sign(SignName.MAIL_SERVER, True)]
NO_MAIL = [Sign(SignName.MAIL_SERVER, True), Sign(SignName.EMAIL, True)]

import_module(TASK.rpartition(".")[0])


class Site:
    """A site whose worker lives: each minute it looks at the signs and sends what is due."""

    def __init__(self, wall: Wall) -> None:
        self.wall = wall
        self.signs = WELL

    def live(self, minutes: int, signs: list[Sign]) -> int:
        """Let so many minutes pass with these signs; return how many emails left."""
        self.signs = signs
        before = len(mail.outbox)
        for _ in range(minutes):
            self.look()
            self.wall.now += MINUTE
        return len(mail.outbox) - before

    def look(self) -> None:
        assert app.tasks[TASK].apply().successful()
        deliver_due()


@pytest.fixture
def wall(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wall]:
    monkeypatch.setattr("accounts.clock_jumps.watch.leap", lambda: timedelta(0))
    settings.EMAIL_BACKEND = "tests.clocks.failing_backend.Unwell"
    wall = Wall()
    with clock.use_clock(wall):
        yield wall


@pytest.fixture
def site(wall: Wall, operator: User, monkeypatch: pytest.MonkeyPatch) -> Site:
    site = Site(wall)
    monkeypatch.setattr(alerts, "current_signs", lambda: site.signs)
    return site


@pytest.fixture
def operator(anna: User) -> User:
    anna.is_staff = True
    anna.save()
    return anna


def test_after_ten_minutes_each_operator_gets_one_email_and_no_one_else(site: Site, bruno: User) -> None:
    assert site.live(10, NO_ROOM) == 0
    assert site.live(1, NO_ROOM) == 1
    [email] = mail.outbox
    assert email.to == ["anna@example.org"]
    assert email.subject == "Something has failed: Condottiere by email"
    assert "Free disk space\n    Delete old backups and logs, or make the disk larger." in email.body
    assert "/operator/" in email.body
    assert "Stop emails about the state of the site" in email.body


def test_no_one_hears_of_nine_minutes(site: Site) -> None:
    for _ in range(5):
        assert site.live(10, NO_ROOM) == 0  # looked at ten times, in nine minutes
        assert site.live(6, WELL) == 0


def test_there_is_one_email_a_day_however_often_it_fails(site: Site) -> None:
    assert site.live(11, NO_ROOM) == 1
    assert site.live(60, WELL) == 0
    assert site.live(60, NO_ROOM) == 0
    site.wall.now += DAY
    assert site.live(10, NO_ROOM) == 0
    assert site.live(30, NO_ROOM) == 1


def test_a_node_that_is_well_hides_no_other(site: Site) -> None:
    assert sum(site.live(1, [WELL, WELL, NO_ROOM][minute % 3]) for minute in range(15)) == 1


def test_a_worker_that_was_off_begins_again(site: Site) -> None:
    """So a restart tells nothing, though the site may fail for its first minute."""
    assert site.live(1, NO_ROOM) == 0
    site.wall.now += timedelta(hours=1)
    assert site.live(1, NO_ROOM) == 0
    assert site.live(10, WELL) == 0


def test_a_clock_that_was_set_back_silences_no_one(site: Site) -> None:
    assert site.live(11, NO_ROOM) == 1
    site.wall.now -= 30 * DAY
    assert site.live(11, NO_ROOM) == 1


def test_no_one_hears_of_an_outage_of_the_mail_server_that_is_over(site: Site) -> None:
    assert site.live(30, NO_MAIL) == 0
    assert site.live(5, [Sign(SignName.EMAIL, True)]) == 0  # what has waited leaves
    assert site.live(20, WELL) == 0
    assert not OutgoingEmail.objects.exists()


def test_an_email_that_could_not_leave_is_dropped_and_one_about_a_failure_that_lasts_leaves(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert site.live(10, NO_ROOM) == 0
    monkeypatch.setattr("tests.clocks.failing_backend.is_down", True)
    assert site.live(1, NO_ROOM) == 0
    assert MailServerHealth.objects.exists()
    assert site.live(20, NO_ROOM_AND_NO_MAIL) == 0
    monkeypatch.setattr("tests.clocks.failing_backend.is_down", False)
    assert site.live(10, NO_ROOM) == 0
    assert OutgoingEmail.objects.get().state == OutgoingEmail.State.OVERTAKEN
    MailServerHealth.objects.all().delete()
    assert site.live(10, NO_ROOM) == 1


def test_what_can_not_be_seen_is_not_named(site: Site) -> None:
    hidden = [Sign(SignName.MIGRATIONS, True), Sign(SignName.DEADLINES, True, is_known=False)]
    assert site.live(11, hidden) == 1
    assert "Changes to the database" in mail.outbox[0].body
    assert "Deadlines" not in mail.outbox[0].body


def test_an_operator_can_turn_it_off(site: Site) -> None:
    unsubscribe(Subscription("anna@example.org", "health", ""))
    assert site.live(30, NO_ROOM) == 0


def test_who_is_no_operator_any_more_gets_none(site: Site, operator: User) -> None:
    assert site.live(10, NO_ROOM) == 0
    app.tasks[TASK].apply()
    User.objects.filter(pk=operator.pk).update(is_staff=False)
    deliver_due()
    assert mail.outbox == []


@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_two_nodes_at_one_moment_tell_once(site: Site) -> None:
    assert connection.vendor == "postgresql"
    site.live(10, NO_ROOM)
    look = partial(alerts.tell_of_failures, site.wall.now)
    assert sorted(at_once(site.wall, look, look, look)) == [0, 0, 1]
    assert SiteHealth.objects.count() == 1


@pytest.mark.once
@pytest.mark.django_db(transaction=True)
def test_it_reads_what_monitors_read(wall: Wall, operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A backup that is three days old, and everything else well."""
    Installation.objects.create(version="1", backup_made_at=wall.now - 3 * DAY)
    monkeypatch.setattr("condottiere_site.health.disk_sign.LEAST", 1)
    for _ in range(11):
        for task in site_settings.BEAT_SECONDS:
            run = {"started_at": wall.now, "ended_at": wall.now, "seconds": 0.1}
            TaskRun.objects.update_or_create(task=task, defaults=run)
        for work in (readiness._ROWS, *readiness._OUTSIDE.values()):
            monkeypatch.setattr(work, "_run", None)
        Site(wall).look()
        wall.now += MINUTE
    [email] = mail.outbox
    assert "Last backup\n    Read why the timer’s last backup failed" in email.body
    assert "Tasks of the worker" not in email.body


@pytest.mark.parametrize("path", ["/", "/me/", "/rules/", "/operator/emails/", "/watch/"])
def test_every_page_tells_operators_alone_what_fails(
    operator: User, bruno: User, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(context_processors, "current_signs", lambda: NO_ROOM)
    assert "Something has failed on the site: Free disk space See what to do" in words(operator, path)
    assert "Something has failed" not in words(bruno, path)
    monkeypatch.setattr(context_processors, "current_signs", lambda: WELL)
    assert "Something has failed" not in words(operator, path)


def test_the_state_of_the_site_says_it_once(operator: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(context_processors, "current_signs", lambda: NO_ROOM)
    assert "Something has failed" not in words(operator, "/operator/")


def words(person: User, path: str) -> str:
    client = Client()
    client.force_login(person, backend=site_settings.AUTHENTICATION_BACKENDS[0])
    return " ".join(page_in(client.get(path, follow=True)).words.split())
