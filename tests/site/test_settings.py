"""Settings from the environment: a bad value is named and refused in one sentence."""

import stat
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from condottiere_site import environment
from tests.servers import HANGS

pytestmark = pytest.mark.once
HERE = Path("state")

REFUSED: list[tuple[Callable[[str], Any], str]] = [
    (lambda name: environment.flag(name, False), "perhaps"),
    (lambda name: environment.seconds(name, 60), "soon"),
    (lambda name: environment.seconds(name, 60), "-1"),
    (lambda name: environment.seconds(name, 60), "90000"),
    (lambda name: environment.count(name, 0, 9), "10"),
    (lambda name: environment.count(name, 0, 9), "1.5"),
    (lambda name: environment.text(name, ""), "two\nlines"),
    (lambda name: environment.time_zone(name, "UTC"), "Mars/Olympus"),
    (lambda name: environment.mail_address(name, ""), "nobody"),
    (lambda name: environment.push_key(name, "secret"), "too-short"),
    (lambda name: environment.site_url(name, ""), "games.example.org"),
    (lambda name: environment.site_url(name, ""), "ftp://games.example.org"),
    (lambda name: environment.site_url(name, ""), "https://games.example.org/path"),
    (lambda name: environment.site_url(name, ""), "https://name@games.example.org"),
    (lambda name: environment.site_url(name, ""), "https://games.example.org?x=1"),
    (lambda name: environment.site_url(name, ""), "https://games.example.org:port"),
    (environment.redis_url, "memcached://127.0.0.1"),
    (environment.redis_url, "redis://"),
    (environment.redis_url, "redis://127.0.0.1:port"),
    (environment.mail_server, "mail.example.org"),
    (environment.mail_server, "smtp://"),
    (environment.mail_server, "smtp://mail.example.org:port"),
    (environment.mail_server, "smtp://mail.example.org/?colour=red"),
    (environment.own_mailbox, "Games <reply@example.org>"),
    (environment.own_mailbox, "a-mailbox-of-21-signs@example.org"),
    (environment.mailbox, "smtp://games@mail.example.org"),
    (environment.mailbox, "imaps://mail.example.org"),
    (environment.mailbox, "imaps://games@mail.example.org:port"),
    (lambda name: environment.database(name, HERE), "mysql://localhost/games"),
    (lambda name: environment.database(name, HERE), "somewhere"),
    (lambda name: environment.database(name, HERE), "postgresql://localhost/"),
    (lambda name: environment.database(name, HERE), "postgresql://localhost:port/games"),
    (lambda name: environment.database(name, HERE), "sqlite://relative"),
    (lambda name: environment.database(name, HERE), "sqlite:///"),
    (lambda name: environment.secret_key(name, HERE), "short"),
]


@pytest.mark.parametrize(("read", "value"), REFUSED, ids=[value for _, value in REFUSED])
def test_a_bad_value_is_named_and_refused(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[str], Any], value: str
) -> None:
    monkeypatch.setitem(environment.env.ENVIRON, "TRIED", value)
    with pytest.raises(ImproperlyConfigured) as refusal:
        read("TRIED")
    sentence = str(refusal.value)
    assert sentence.startswith("TRIED ")
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize("value", ["", "   "])
def test_an_empty_value_counts_as_not_given(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setitem(environment.env.ENVIRON, "TRIED", value)
    assert environment.text("TRIED", "default") == "default"
    assert environment.flag("TRIED", True) is True
    assert environment.redis_url("TRIED") is None
    assert environment.mail_server("TRIED") is None
    assert environment.seconds("TRIED", 60) == timedelta(seconds=60)


def test_good_values_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(value: str) -> str:
        monkeypatch.setitem(environment.env.ENVIRON, "TRIED", value)
        return "TRIED"

    assert environment.flag(given("off"), True) is False
    assert environment.seconds(given("0.5"), 60) == timedelta(seconds=0.5)
    assert environment.site_url(given("https://games.example.org/"), "") == "https://games.example.org"
    assert environment.site_url(given("http://[::1]:8000"), "") == "http://[::1]:8000"
    assert environment.own_mailbox(given("Reply@Example.org")) == "reply@example.org"
    assert environment.mailbox(given("imaps://games:x@mail.example.org/INBOX")).endswith("/INBOX")
    mail = environment.mail_server(given("smtp+tls://anna:p%40ss@mail.example.org:587"))
    assert mail is not None
    assert (mail["EMAIL_HOST"], mail["EMAIL_PORT"], mail["EMAIL_USE_TLS"]) == ("mail.example.org", 587, True)
    assert (mail["EMAIL_HOST_USER"], mail["EMAIL_HOST_PASSWORD"]) == ("anna", "p@ss")


def test_postgresql_keeps_its_connections_in_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        environment.env.ENVIRON, "TRIED", "postgresql://anna:secret@db.example.org:5433/games"
    )
    database = environment.database("TRIED", HERE)
    assert database["NAME"] == "games"
    assert database["PORT"] == 5433
    assert database["CONN_MAX_AGE"] == 0
    assert database["OPTIONS"]["pool"]
    assert database["CONN_HEALTH_CHECKS"]


def test_sqlite_is_written_ahead_and_writers_queue(tmp_path: Path) -> None:
    options = environment.database("NEVER_SET", tmp_path / "games.sqlite3")["OPTIONS"]
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "journal_mode=WAL" in options["init_command"]
    assert options["timeout"] == 20


def test_a_key_is_generated_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    kept = tmp_path / "secret_key"
    first = environment.secret_key("NEVER_SET", kept)
    assert len(first) > 40
    assert environment.secret_key("NEVER_SET", kept) == first
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [kept]


def test_a_refusal_does_not_repeat_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(environment.env.ENVIRON, "TRIED", "mysql://anna:secret@localhost/games")
    with pytest.raises(ImproperlyConfigured) as refusal:
        environment.database("TRIED", HERE)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "oracle://x/y"),
        ("EMAIL_HOLD", "later"),
        ("CHAT_HOLD", "later"),
        ("SITE_URL", "nowhere"),
        ("STATE_DIR", "/dev/null/x"),
    ],
)
@pytest.mark.long
def test_the_command_refuses_in_one_sentence(tmp_path: Path, name: str, value: str) -> None:
    environ = {"PATH": "/usr/bin:/bin", "STATE_DIR": str(tmp_path), name: value}
    done = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=settings.BASE_DIR,
        env=environ,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 1
    assert name in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


def test_beat_wakes_tasks_that_exist_each_by_a_queue_of_its_own_that_is_listened_to() -> None:
    from condottiere_site.celery import app

    app.loader.import_default_modules()
    queues = [entry["options"]["queue"] for entry in settings.CELERY_BEAT_SCHEDULE.values()]
    assert sorted(queues) == sorted(app.amqp.queues.consume_from)
    assert {entry["task"] for entry in settings.CELERY_BEAT_SCHEDULE.values()} <= set(app.tasks)


def test_worker_and_beat_wait_for_a_lost_broker_as_long_as_it_takes() -> None:
    from condottiere_site.celery import app

    assert app.conf.broker_connection_max_retries is None
    assert app.conf.broker_connection_retry


def test_a_push_key_is_the_given_one_or_always_the_same_for_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    made = environment.push_key("VAPID_KEY", "secret")
    assert made == environment.push_key("VAPID_KEY", "secret") != environment.push_key("VAPID_KEY", "other")
    given = token_urlsafe(32)
    monkeypatch.setenv("VAPID_KEY", given)
    assert environment.push_key("VAPID_KEY", "secret") == given
