"""A push service of this machine that counts as public, and a game in which Anna is asked."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from socket import AF_INET, SOCK_STREAM
from typing import Any

import pytest

from accounts.push import public_hosts, public_requests
from games.models import Game
from tests.digests.days import Days
from tests.games.playing import begin_game
from tests.push.receivers import Receiver
from tests.push.services import PushService


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PushService]:
    folder: Path = tmp_path_factory.mktemp("push")
    service = PushService(folder)
    yield service
    service.close()


@pytest.fixture
def service(server: PushService, monkeypatch: pytest.MonkeyPatch) -> PushService:
    server.got.clear()
    server.answer, server.asked = 201, 0
    monkeypatch.setattr(public_hosts, "is_public", lambda _address: True)
    monkeypatch.setattr(public_hosts, "PORT", server.port)
    monkeypatch.setattr(public_requests, "tls", lambda: server.context)
    return server


@pytest.fixture(scope="module")
def receiving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    receiver = Receiver(tmp_path_factory.mktemp("receiver"))
    yield receiver
    receiver.close()


@pytest.fixture
def receiver(receiving: Receiver, monkeypatch: pytest.MonkeyPatch) -> Receiver:
    """The receiver, to which every name of the internet leads."""
    receiving.clear()
    here = [(AF_INET, SOCK_STREAM, 0, "", ("127.0.0.1", receiving.port))]
    monkeypatch.setattr(public_hosts.socket, "getaddrinfo", lambda *_words, **_more: here)
    monkeypatch.setattr(public_hosts, "is_public", lambda _address: True)
    monkeypatch.setattr(public_hosts, "PORT", receiving.port)
    monkeypatch.setattr(public_requests, "tls", lambda: receiving.context)
    return receiving


@pytest.fixture(autouse=True)
def emails_in_memory(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    settings.EMAIL_HOLD = timedelta(minutes=1)


@pytest.fixture
def days(db: None) -> Iterator[Days]:
    from accounts import clock as site_clock

    clock = Days()
    with site_clock.use_clock(lambda: clock.now):
        yield clock


@pytest.fixture
def game(days: Days, anna: Any, bruno: Any, carla: Any) -> Game:
    return begin_game([anna, bruno, carla])
