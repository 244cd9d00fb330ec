"""What people read, and what clock tasks do, while the database can store nothing or is away."""

from __future__ import annotations

import logging
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import InterfaceError, OperationalError, connection
from django.test import Client

from accounts import full_disk as policy
from condottiere_site import celery, running
from condottiere_site.celery import app
from games.chat.models import Message
from games.models import Game, LogEntry
from tests.full_disks import full_disk, sqlite_without_room
from tests.games.playing import begin_game, decision_of, legal_texts
from tests.journeys.visiting import page_in

pytestmark = pytest.mark.django_db

OWN = {"origin": "http://testserver"}


@pytest.fixture
def game(anna: Any, bruno: Any) -> Game:
    return begin_game([anna, bruno])


def browser_of(person: Any) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client


def send_a_move(client: Client, game: Game) -> Any:
    decision = decision_of(game)
    sent = {"move": legal_texts(game)[0], "decision_step": decision.decision_step}
    return client.post(f"/games/{game.pk}/move/", sent, headers=OWN)


def asked(game: Game, *people: Any) -> Any:
    return people[decision_of(game).seat]


def test_a_move_without_room_is_refused_in_words_and_sent_again_by_one_press(
    game: Game, anna: Any, bruno: Any, caplog: Any
) -> None:
    client, moves = browser_of(asked(game, anna, bruno)), LogEntry.objects.count()
    with full_disk():
        answer = send_a_move(client, game)
    assert answer.status_code == 507
    assert answer["Retry-After"]
    assert "no-store" in answer["Cache-Control"]
    page = page_in(answer)
    assert "Nothing was stored" in page.words
    assert LogEntry.objects.count() == moves
    (line,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert line.exc_info is None
    (form,) = page.forms
    again = client.post(f"/games/{game.pk}/move/", form.fields, headers=OWN)
    assert again.status_code in (200, 302)
    assert LogEntry.objects.count() > moves


@pytest.mark.parametrize("language", ["en", "pl", "ru"])
def test_it_is_said_in_the_readers_language(game: Game, anna: Any, bruno: Any, language: str) -> None:
    person = asked(game, anna, bruno)
    type(person).objects.filter(pk=person.pk).update(language=language)
    client = browser_of(person)
    with full_disk():
        answer = send_a_move(client, game)
    assert f'<html lang="{language}">' in answer.content.decode()


def test_a_message_is_kept_on_the_page(game: Game, anna: Any) -> None:
    client, path = browser_of(anna), f"/tables/{game.table_id}/chat/"
    with full_disk():
        answer = client.post(path, {"text": "Shall we meet?"}, headers=OWN)
    assert answer.status_code == 507
    assert "Shall we meet?" in answer.content.decode()
    assert not Message.objects.exists()
    from_elsewhere = client.post(path, {"text": "Free cards"}, headers={"origin": "http://evil.example.org"})
    assert "Free cards" not in from_elsewhere.content.decode()


def test_nobody_is_told_that_they_are_signed_in_without_a_session(anna: Any) -> None:
    client = Client(raise_request_exception=False)
    with full_disk():
        answer = client.post("/accounts/login/", {"login": anna.email}, headers=OWN)
    assert answer.status_code == 507
    assert anna.email not in answer.content.decode()
    assert not Session.objects.exists()


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("as SQLite says it")
    error.sqlite_errorcode = code
    return error


def caused_by(cause: Exception, kind: type[Exception] = OperationalError) -> Exception:
    error = kind("the database failed")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (caused_by(sqlite_error(sqlite3.SQLITE_FULL)), 507),
        (caused_by(sqlite_error(sqlite3.SQLITE_IOERR_WRITE)), 507),
        (caused_by(sqlite_error(sqlite3.SQLITE_READONLY)), 507),
        (caused_by(psycopg.errors.DiskFull("no space left")), 507),
        (caused_by(psycopg.errors.ReadOnlySqlTransaction("a standby")), 507),
        (OSError(28, "No space left on device"), 507),
        (caused_by(sqlite_error(sqlite3.SQLITE_BUSY)), 503),
        (caused_by(psycopg.OperationalError("the connection is lost")), 503),
        (caused_by(psycopg.errors.TooManyConnections("no connection is free")), 503),
        (caused_by(psycopg.errors.AdminShutdown("it stops")), 503),
        (InterfaceError("the connection is closed"), 503),
        (caused_by(sqlite_error(sqlite3.SQLITE_ERROR)), 500),
        (caused_by(psycopg.errors.DeadlockDetected("deadlock")), 500),
        (OSError(2, "No such file"), 500),
        (ValueError("our mistake"), 500),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_what_failed_decides_what_is_said(
    game: Game, anna: Any, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, method: str
) -> None:
    client = browser_of(anna)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("games.chat.views.channel.get_channel_of", fail)
    path = f"/tables/{game.table_id}/chat/"
    answer = client.get(path) if method == "GET" else client.post(path, {"text": "Well."}, headers=OWN)
    assert answer.status_code == status
    words = page_in(answer).words
    assert ("Nothing was stored" in words) == (status == 507 and method == "POST")
    assert ("Well." in answer.content.decode()) == (status < 509 and status != 500 and method == "POST")
    assert policy.cannot_store(error) == (status == 507)


def test_the_page_asks_nothing_of_the_database(game: Game, anna: Any) -> None:
    client = browser_of(anna)

    def gone(*_: object) -> None:
        raise OperationalError("the connection is lost")

    with connection.execute_wrapper(gone):
        for answer in (client.get("/"), client.post("/me/", {"name": "Anna"}, headers=OWN)):
            assert answer.status_code == 503


def test_a_session_that_can_not_be_stored_does_not_deny_what_was_done(game: Game, anna: Any) -> None:
    client, path = browser_of(anna), f"/games/{game.pk}/"
    with full_disk(only="django_session"):
        session = client.session
        answer = client.get(path)
        assert answer.status_code == 200
    assert session.session_key == client.session.session_key


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("task", sorted(settings.BEAT_SECONDS))
def test_a_clock_task_says_once_that_it_waits(game: Game, monkeypatch: pytest.MonkeyPatch, task: str) -> None:
    lines = list[str]()
    monkeypatch.setattr(celery.logger, "error", lines.append)
    app.loader.import_default_modules()
    monkeypatch.setattr(celery, "_logged_at", None)
    with full_disk() as refused:
        results = [app.tasks[task].apply(throw=True).result for _ in range(3)]
    assert results == [None] * 3 if lines else None not in results
    assert len(lines) <= 1
    assert refused  # at least the note that the task ran
    assert app.tasks[task].apply(throw=True).result is not None


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
def test_without_room_no_accepted_move_is_lost(game: Game, anna: Any, bruno: Any) -> None:
    without_room = sqlite_without_room if connection.vendor == "sqlite" else partial(full_disk, after=60)
    clients = {person: browser_of(person) for person in (anna, bruno)}
    answered = before = LogEntry.objects.filter(seat__isnull=False).count()
    with without_room():
        while (answer := send_a_move(clients[asked(game, anna, bruno)], game)).status_code != 507:
            assert answer.status_code in (200, 302)
            answered += 1
            assert answered < before + 60
        assert clients[anna].get(f"/games/{game.pk}/").status_code == 200
        assert LogEntry.objects.filter(seat__isnull=False).count() == answered
    assert send_a_move(clients[asked(game, anna, bruno)], game).status_code in (200, 302)
    assert LogEntry.objects.filter(seat__isnull=False).count() == answered + 1


def test_one_connection_stays_open_so_that_a_full_disk_can_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "site.sqlite3"

    class Opened:
        settings_dict = {"NAME": path}

    def visit() -> None:
        line = sqlite3.connect(path)
        line.execute("PRAGMA journal_mode = WAL")
        line.execute("CREATE TABLE IF NOT EXISTS rows (number)")
        line.commit()
        running.keep_one_open(connection=Opened())  # type: ignore[arg-type]
        line.close()

    monkeypatch.setattr(running, "_kept_open", {})
    monkeypatch.setattr(running, "_held", [])  # a test before this one may have run as a process of the site
    visit()
    assert not Path(f"{path}-shm").exists()
    with (tmp_path / "lock").open("wb") as lock:
        monkeypatch.setattr(running, "_held", [lock])
        visit()
        visit()
        assert Path(f"{path}-shm").exists()
        (kept,) = running._kept_open.values()
        kept.close()
