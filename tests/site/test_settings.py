"""Settings from the environment: a bad value is named and refused in one sentence."""

import re
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
from environ import FileAwareEnv

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
    (lambda name: environment.mail_address(name, ""), "games@example.org, ada@example.org"),
    (lambda name: environment.mail_address(name, ""), "Games <games@example.org> ada@example.org"),
    (lambda name: environment.push_key(name, "secret"), "too-short"),
    (environment.bearer_token, "too-short"),
    (environment.bearer_token, "a token of many words, with spaces"),
    (environment.redis_url, "memcached://127.0.0.1"),
    (environment.redis_url, "redis://"),
    (environment.redis_url, "redis://127.0.0.1:port"),
    (environment.redis_url, "redis://127.0.0.1/games"),
    (environment.redis_url, "redis://127.0.0.1/0?db=1"),
    (environment.redis_url, "rediss://127.0.0.1/0?ssl_cert_reqs=perhaps"),
    (environment.mail_server, "mail.example.org"),
    (environment.mail_server, "smtp://"),
    (environment.mail_server, "smtp://mail.example.org:port"),
    (environment.mail_server, "smtp://mail.example.org/?colour=red"),
    (environment.own_mailbox, "Games <reply@example.org>"),
    (environment.own_mailbox, "a-mailbox-of-21-signs@example.org"),
    (environment.email_webhook, "postmark"),
    (environment.email_webhook, "postmark:"),
    (environment.email_webhook, "postmark:too-short"),
    (environment.email_webhook, "postmark:name:k7qx2mpdk7qx2mpdk7qx2mpd"),
    (environment.email_webhook, "postmark:k7qx2mpd k7qx2mpd k7qx2mpd"),
    (environment.email_webhook, "sendgrid:k7qx2mpdk7qx2mpdk7qx2mpd"),
    (environment.email_webhook, "Postmark:k7qx2mpdk7qx2mpdk7qx2mpd"),
    (environment.email_webhook, ":k7qx2mpdk7qx2mpdk7qx2mpd"),
    (environment.mailbox, "smtp://games@mail.example.org"),
    (environment.mailbox, "imaps://mail.example.org"),
    (environment.mailbox, "imaps://games@mail.example.org:port"),
    (environment.mailbox, "imaps://games:a/b@mail.example.org"),
    (environment.mail_server, "smtp://games:12/34@mail.example.org"),
    (environment.mail_server, "smtp://games:a#b@mail.example.org"),
    (environment.mail_server, "smtp://games:a[b@mail.example.org"),
    (environment.mail_server, "smtp://mail..example.org"),
    (environment.redis_url, "redis://my broker"),
    (lambda name: environment.database(name, HERE), "mysql://localhost/games"),
    (lambda name: environment.database(name, HERE), "somewhere"),
    (lambda name: environment.database(name, HERE), "postgresql://localhost/"),
    (lambda name: environment.database(name, HERE), "postgresql://localhost:port/games"),
    (lambda name: environment.database(name, HERE), "postgresql://anna:a/b@localhost/games"),
    (lambda name: environment.database(name, HERE), "postgresql://db..example.org/games"),
    (lambda name: environment.database(name, HERE), "postgresql://db1,db2:5433/games"),
    (lambda name: environment.database(name, HERE), "postgresql://db1:5433,db2:port/games"),
    (lambda name: environment.database(name, HERE), "sqlite://relative"),
    (lambda name: environment.database(name, HERE), "sqlite:///"),
    (lambda name: environment.secret_key(name, HERE), "short"),
]


@pytest.mark.parametrize(("read", "value"), REFUSED, ids=[value for _, value in REFUSED])
def test_a_bad_value_is_named_and_refused(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[str], Any], value: str
) -> None:
    monkeypatch.setenv("TRIED", value)
    read("TRIED")
    sentence = _refusal()
    assert sentence.startswith("TRIED ")
    assert sentence.endswith(".")
    assert "\n" not in sentence


OWN_ADDRESSES = {
    "games.example.org": "begin with https://",
    "ftp://games.example.org": "begin with https://",
    "https:/games.example.org": "begin with https://",
    "https://": "begin with https://",
    "https://a..b": "a dot too many",
    "https://.games.example.org": "a dot too many",
    "https://games.example.org.": "a host of letters",
    "https://games_example.org": "a host of letters",
    "https://-games.example.org": "a host of letters",
    "https://games example.org": "a space",
    "https://gry.żółw.example": "xn--",
    "https://игры.example": "xn--",
    "https://" + "a" * 64 + ".example.org": "a dot too many",
    "https://" + "abcdefg." * 32 + "org": "a host of letters",
    "https://256.1.1.1": "looks like one",
    "https://10.0.0": "looks like one",
    "https://[::1": "brackets",
    "https://[::1::2]": "brackets",
    "https://[fe80::1%25eth0]": "looks like one",
    "https://games.example.org/path": "Leave out the path",
    "https://games.example.org?x=1": "Leave out the path",
    "https://games.example.org#top": "Leave out the path",
    "https://name@games.example.org": "up to the @",
    "https://name:s3cret@games.example.org": "up to the @",
    "https://games.example.org:port": "as its port",
    "https://games.example.org:65536": "as its port",
    "https://games.example.org:0": "as its port",
    "https://games.example.org:": "no colon",
}


@pytest.mark.parametrize("value", OWN_ADDRESSES)
def test_the_site_s_address_is_refused_with_what_is_wrong(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("TRIED", value)
    assert environment.site_url("TRIED", "http://[::1]") == "http://[::1]"
    sentence = _refusal()
    assert OWN_ADDRESSES[value] in sentence
    assert re.fullmatch(r"TRIED (must|has) [^\n]+\.", sentence)


@pytest.mark.parametrize(
    "value",
    [
        "https://games",
        "http://192.168.1.5:8000",
        "http://[fe80::1]",
        "https://xn--gry-w5a.example",
        "http://g2.lan:80",
    ],
)
def test_an_address_that_browsers_can_open_is_taken(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TRIED", value.upper())
    assert environment.site_url("TRIED", "") == value
    environment.refuse_bad_values()


def _refusal() -> str:
    with pytest.raises(ImproperlyConfigured) as refusal:
        environment.refuse_bad_values()
    return str(refusal.value)


@pytest.mark.parametrize("value", ["", "   "])
def test_an_empty_value_counts_as_not_given(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("TRIED", value)
    assert environment.text("TRIED", "default") == "default"
    assert environment.flag("TRIED", True) is True
    assert environment.redis_url("TRIED") is None
    assert environment.mail_server("TRIED") is None
    assert environment.seconds("TRIED", 60) == timedelta(seconds=60)


def test_good_values_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def given(value: str) -> str:
        monkeypatch.setenv("TRIED", value)
        return "TRIED"

    assert environment.flag(given("off"), True) is False
    assert environment.seconds(given("0.5"), 60) == timedelta(seconds=0.5)
    assert environment.site_url(given("https://games.example.org/"), "") == "https://games.example.org"
    assert environment.site_url(given("http://[::1]:8000"), "") == "http://[::1]:8000"
    assert environment.own_mailbox(given("Reply@Example.org")) == "reply@example.org"
    assert environment.email_webhook(given("")) == ("", "")
    assert environment.email_webhook(given("ses:k7qx2mpd-k7qx2mpd_k7q")) == ("ses", "k7qx2mpd-k7qx2mpd_k7q")
    assert environment.mailbox(given("imaps://games:x@mail.example.org/INBOX")).endswith("/INBOX")
    mail = environment.mail_server(given("smtp+tls://anna:p%40ss@mail.example.org:587"))
    assert mail is not None
    assert (mail["EMAIL_HOST"], mail["EMAIL_PORT"], mail["EMAIL_USE_TLS"]) == ("mail.example.org", 587, True)
    assert (mail["EMAIL_HOST_USER"], mail["EMAIL_HOST_PASSWORD"]) == ("anna", "p@ss")


def test_postgresql_keeps_its_connections_in_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIED", "postgresql://anna:secret@db.example.org:5433/games")
    database = environment.database("TRIED", HERE)
    assert database["NAME"] == "games"
    assert database["PORT"] == 5433
    assert database["CONN_MAX_AGE"] == 0
    assert database["OPTIONS"]["pool"]
    assert database["CONN_HEALTH_CHECKS"]


def test_of_several_postgresql_servers_the_one_that_can_be_written_to_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TRIED", "postgresql://anna:p%2Cs@db1:5433,db2:5434/games?connect_timeout=9")
    database = environment.database("TRIED", HERE)
    assert (database["HOST"], database["PORT"]) == ("db1,db2", "5433,5434")
    assert (database["USER"], database["PASSWORD"], database["NAME"]) == ("anna", "p,s", "games")
    assert database["OPTIONS"]["target_session_attrs"] == "read-write"
    assert database["OPTIONS"]["connect_timeout"] == 9
    # Both are needed to notice a machine that is gone: one while sending, one while waiting for an answer.
    assert database["OPTIONS"]["tcp_user_timeout"] == 10_000
    assert database["OPTIONS"]["keepalives_idle"] == 5
    monkeypatch.setenv("TRIED", "postgresql://anna@db1,db2/games")
    assert environment.database("TRIED", HERE)["PORT"] == ""


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
    monkeypatch.setenv("TRIED", "mysql://anna:secret@localhost/games")
    environment.database("TRIED", HERE)
    assert "secret" not in _refusal()


def test_bad_values_are_named_all_at_once_and_only_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TRIED", "perhaps"), ("TRIED_TOO", "soon")):
        monkeypatch.setenv(name, value)
    assert environment.flag("TRIED", True) is True
    assert environment.seconds("TRIED_TOO", 60) == timedelta(seconds=60)
    assert environment.count("NEVER_SET", 3, 9) == 3
    assert [line.split()[0] for line in _refusal().splitlines()] == ["TRIED", "TRIED_TOO"]
    environment.refuse_bad_values()


def test_a_value_may_be_in_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "value"
    file.write_text("redis://broker\n")
    monkeypatch.setenv("IN_FILE", " ")
    monkeypatch.setenv("IN_FILE_FILE", str(file))
    assert environment.redis_url("IN_FILE") == "redis://broker"
    environment.refuse_bad_values()


@pytest.mark.parametrize(
    ("content", "value", "begins"),
    [
        (None, "", "IN_BAD_FILE_FILE names a file that can't be read: No such file or directory."),
        (b"\xff\xfe", "", "IN_BAD_FILE_FILE names a file that can't be read: it isn't text."),
        (b" \n", "", "IN_BAD_FILE_FILE names an empty file."),
        (b"redis://broker", "redis://other", "IN_BAD_FILE is set, and so is IN_BAD_FILE_FILE."),
        (b"memcached://broker", "", "IN_BAD_FILE must be the address of a Redis server"),
    ],
)
def test_a_bad_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None, value: str, begins: str
) -> None:
    file = tmp_path / "value"
    if content is not None:
        file.write_bytes(content)
    monkeypatch.setattr(FileAwareEnv.ENVIRON, "files_cache", {})
    monkeypatch.setenv("IN_BAD_FILE", value)
    monkeypatch.setenv("IN_BAD_FILE_FILE", str(file))
    assert environment.redis_url("IN_BAD_FILE") is None
    assert _refusal().startswith(begins)


def test_a_value_that_begins_with_a_dollar_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIED", "$" + "k" * 40)
    assert environment.secret_key("TRIED", HERE) == "$" + "k" * 40


def test_a_password_may_be_given_apart_from_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIED", "postgresql://anna@db/games")
    assert environment.database("TRIED", HERE, password="p@ss/word")["PASSWORD"] == "p@ss/word"
    monkeypatch.setenv("TRIED", "postgresql://anna:one@db/games")
    environment.database("TRIED", HERE, password="another")
    assert _refusal().startswith("TRIED has a password")


def test_no_key_is_made_while_a_setting_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIED", "perhaps")
    environment.flag("TRIED", False)
    environment.secret_key("NEVER_SET", tmp_path / "secret_key")
    assert not list(tmp_path.iterdir())
    _refusal()


@pytest.mark.parametrize("kept", ["", "short", "\u00fc" * 50])
def test_a_kept_key_that_is_no_key_is_refused(tmp_path: Path, kept: str) -> None:
    (tmp_path / "secret_key").write_text(kept, encoding="utf-8")
    environment.secret_key("NEVER_SET", tmp_path / "secret_key")
    assert _refusal().startswith("NEVER_SET isn't set, and its file in STATE_DIR")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DATABASE_URL", "oracle://x/y"),
        ("EMAIL_HOLD", "later"),
        ("CHAT_HOLD", "later"),
        ("SITE_URL", "nowhere"),
        ("STATE_DIR", "/dev/null/x"),
        ("STATE_DIR", "~/games"),
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
    assert done.returncode == 78
    assert name in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert "Traceback" not in done.stderr


WAYS_TO_START = {
    "manage.py": (["manage.py", "check"], 78),
    "play": (["manage.py", "play"], 78),
    "worker": (["-m", "celery", "-A", "condottiere_site", "worker"], 78),
    "beat": (["-m", "celery", "-A", "condottiere_site", "beat"], 78),
    "gunicorn": (["-m", "gunicorn", "--config", "deploy/gunicorn_settings.py"], 78),
    "gunicorn without its settings": (
        ["-m", "gunicorn", "condottiere_site.wsgi", "--bind", "127.0.0.1:0"],
        3,
    ),
}


@pytest.mark.parametrize(
    "way", ["manage.py", *(pytest.param(way, marks=pytest.mark.long) for way in list(WAYS_TO_START)[1:])]
)
def test_each_way_of_starting_names_all_bad_settings_and_no_value(tmp_path: Path, way: str) -> None:
    words, status = WAYS_TO_START[way]
    bad = {"EMAIL_HOLD": "s3cret", "SECRET_KEY": "s3cret", "VAPID_KEY": "s3cret", "SITE_URL_FILE": "/s3cret"}
    done = subprocess.run(
        [sys.executable, *words],
        cwd=settings.BASE_DIR,
        env={"PATH": "/usr/bin:/bin", "STATE_DIR": str(tmp_path)} | bad,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    said = re.findall(r"^Settings: (\w+) ", done.stderr, re.MULTILINE)
    assert sorted(said) == sorted(bad), done.stderr
    assert done.returncode == status
    assert "Traceback" not in done.stderr
    assert "s3cret" not in done.stderr + done.stdout


@pytest.mark.parametrize("role", ["worker", "beat"])
@pytest.mark.long
def test_a_worker_and_beat_need_a_broker(tmp_path: Path, role: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "condottiere_site", role],
        cwd=settings.BASE_DIR,
        env={"PATH": "/usr/bin:/bin", "STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 78
    assert "Settings: REDIS_URL must be set" in done.stderr
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
