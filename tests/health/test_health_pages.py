"""What load balancers and monitors read at /healthz and /readyz, on good days and bad ones."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client

from accounts import clock
from accounts.models import User
from condottiere_site.health import limited_work, readiness, redis_sign
from condottiere_site.health.pages import _in_full
from condottiere_site.health.signs import Sign, SignName, Unit
from condottiere_site.models import TaskRun

TOKEN = "a-token-of-these-tests-alone"
WITH_TOKEN = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def well(transactional_db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A site that has been up for a year, whose tasks have just run. It has a token."""
    settings.METRICS_TOKEN = TOKEN
    monkeypatch.setattr(readiness, "STARTED", time.monotonic() - 365 * 24 * 3600)
    monkeypatch.setattr("condottiere_site.health.disk_sign.LEAST", 1)
    now = clock.now()
    TaskRun.objects.bulk_create(
        TaskRun(task=task, started_at=now, ended_at=now, seconds=0.25) for task in site_settings.BEAT_SECONDS
    )


def get(path: str, **headers: str) -> HttpResponse:
    answer: Any = Client(raise_request_exception=False).get(path, headers=headers)
    return answer  # type: ignore[no-any-return]


def text_of(path: str, **headers: str) -> str:
    return get(path, **headers).content.decode()


@pytest.fixture
def public(settings: Any) -> Any:
    """The settings of a site behind a proxy with https."""
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    settings.ALLOWED_HOSTS = ["games.example.org"]
    return settings


@pytest.mark.parametrize("host", ["10.0.0.7:8000", "games.example.org", "anything", "[::1]", "-not a host-"])
def test_a_process_says_that_it_answers_by_plain_http_to_any_host_without_the_database(
    public: Any, host: str
) -> None:
    """The database is closed to this test, so that any query would fail it."""
    cookie = {site_settings.SESSION_COOKIE_NAME: "a" * 32}
    client = Client()
    client.cookies.load(cookie)
    answer: Any = client.get("/healthz", headers={"Host": host, "Accept-Language": "pl"})
    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "Set-Cookie" not in answer.headers
    assert not answer.cookies


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_no_one_keeps_or_indexes_what_they_say(well: Any, path: str) -> None:
    for answer in (get(path, **WITH_TOKEN), get(path, Authorization="Bearer wrong")):
        assert "no-store" in answer["Cache-Control"]
        assert "noindex" in answer["X-Robots-Tag"]
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert "Vary" not in answer.headers or "Cookie" not in answer["Vary"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_they_are_only_read(well: Any, path: str) -> None:
    client = Client(enforce_csrf_checks=True)
    for method in ("post", "put", "delete", "options"):
        answer: Any = getattr(client, method)(path)
        assert (answer.status_code, answer["Allow"]) == (405, "GET, HEAD")
    head: Any = client.head(path, headers=WITH_TOKEN)
    assert (head.status_code, head.content) == (200, b"")


@pytest.mark.once
def test_a_site_that_is_well_says_ok_of_each_sign_and_no_figure(well: Any) -> None:
    answer = get("/readyz", Host="10.0.0.7")
    lines = answer.content.decode().splitlines()
    assert answer.status_code == 200
    assert lines == [f"{name}: ok" for name in SignName if name in shown()]


def shown() -> set[str]:
    return {sign.name for sign in readiness.current_signs()}


@pytest.mark.once
def test_a_site_whose_worker_stands_still_is_not_ready(well: Any) -> None:
    TaskRun.objects.filter(task="games.tasks.run_clock").delete()
    answer = get("/readyz")
    failing = [line for line in answer.content.decode().splitlines() if "failed" in line]
    assert (answer.status_code, failing) == (503, ["ticks: failed"])
    assert not re.search(r"\d", answer.content.decode()), "a figure could tell that a secret answer came"
    line = next(line for line in text_of("/readyz", **WITH_TOKEN).splitlines() if "failed" in line)
    assert line.startswith("ticks games.tasks.run_clock: failed (3")
    assert "at most 50 seconds). Start the worker and beat." in line


@pytest.mark.once
def test_with_the_token_it_tells_figures_and_limits(well: Any) -> None:
    text = text_of("/readyz", **WITH_TOKEN)
    assert re.search(
        r"^ticks accounts\.mail\.tasks\.deliver_due: ok \([\d.]+ seconds, at most 32 seconds\)$", text, re.M
    )
    assert re.search(r"^email: ok \(0 seconds, at most 600 seconds\)$", text, re.M)
    assert re.search(r"^disk: ok \(\d+ MiB, at least \d+ MiB\)$", text, re.M)
    assert text.count("\n") == len(readiness.current_signs())


def test_a_large_figure_has_all_its_digits() -> None:
    sign = Sign(SignName.BACKUP, True, 1234567.89, 1209600.0, Unit.SECONDS)
    assert "backup: failed (1234567.9 seconds, at most 1209600 seconds)." in _in_full(sign)


@pytest.mark.once
def test_a_wrong_token_is_refused_and_a_site_without_one_tells_no_figures(well: Any, settings: Any) -> None:
    for wrong in ("Bearer wrong", f"Basic {TOKEN}", TOKEN, f"Bearer {TOKEN}x", "Bearer", "Bearer żółw"):
        answer = get("/readyz", Authorization=wrong)
        assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
    assert get("/readyz", Authorization=f"bearer  {TOKEN} ").status_code == 200
    settings.METRICS_TOKEN = ""
    assert not re.search(r"\d", text_of("/readyz", **WITH_TOKEN))
    assert not re.search(r"\d", text_of("/readyz", Authorization="Bearer "))


@pytest.mark.once
def test_signs_are_worked_out_at_most_once_in_five_seconds(
    well: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = []
    look = readiness._ROWS._work
    monkeypatch.setattr(readiness._ROWS, "_work", lambda: (looks.append(1), look())[1])
    for _ in range(4):
        assert get("/readyz").status_code == 200
    assert len(looks) == 1
    monkeypatch.setattr(limited_work, "LASTS", 0.0)
    get("/readyz")
    assert len(looks) == 2


@pytest.mark.once
def test_without_the_database_the_rest_is_answered(well: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses() -> None:
        raise OperationalError("the server refused")

    monkeypatch.setattr(readiness, "own_connection", refuses)
    assert_database_is_away()
    assert get("/metrics", **WITH_TOKEN).status_code == 200


@pytest.mark.once
@pytest.mark.usefixtures("impatient")
def test_a_database_that_hangs_hangs_no_answer_and_is_asked_once(
    well: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end, looks = threading.Event(), []

    def hangs() -> list[Sign]:
        looks.append(1)
        may_end.wait(60)
        return []

    monkeypatch.setattr(readiness._ROWS, "_work", hangs)
    try:
        for _ in range(3):
            assert_database_is_away()
        assert len(looks) == 1
    finally:
        may_end.set()


def assert_database_is_away() -> None:
    answer = get("/readyz")
    said = dict(line.split(": ") for line in answer.content.decode().splitlines())
    assert answer.status_code == 503
    assert {name for name, how in said.items() if how == "ok"} <= {"redis", "disk", "clock"}
    assert said["disk"] == "ok"
    assert said["database"] == said["deadlines"] == "failed"
    assert "deadlines: failed, because it can't be read." in text_of("/readyz", **WITH_TOKEN)


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A server that accepts connections and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_redis_that_hangs_has_failed(
    silent_port: int, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.REDIS_URL = f"redis://127.0.0.1:{silent_port}/0"
    monkeypatch.setattr(redis_sign, "ANSWERS_WITHIN", 0.1)
    assert redis_sign.redis_signs() == [Sign(SignName.REDIS, failed=True)]


def test_a_redis_that_answers_is_well(redis_url: str, settings: Any) -> None:
    settings.REDIS_URL = redis_url
    assert redis_sign.redis_signs() == [Sign(SignName.REDIS, failed=False)]


@pytest.mark.once
def test_a_command_that_looks_once_sees_the_same_signs(well: Any) -> None:
    assert [sign.name for sign in readiness.signs_now()] == [sign.name for sign in readiness.current_signs()]
    assert not any(sign.failed for sign in readiness.signs_now())


@pytest.mark.once
def test_the_thread_that_looks_leaves_no_connection_behind(well: Any, anna: User) -> None:
    """And the test's own thread still has its own."""
    get("/readyz")
    assert User.objects.filter(pk=anna.pk).exists()
    assert not [thread for thread in threading.enumerate() if isinstance(thread, limited_work._Run)]
