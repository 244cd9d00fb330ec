"""HEAD on the wire: headers and no body, so that the next answer on the same connection can be read."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
from django.conf import settings

from tests.conftest import test_database_url
from tests.services import free_port, wait_until

SERVERS = {
    "waitress": ["-m", "waitress", "--host=127.0.0.1", "--port={port}", "condottiere_site.wsgi:application"],
    "gunicorn": [
        "-m",
        "gunicorn",
        "--bind=127.0.0.1:{port}",
        "--threads=2",
        "--keep-alive=20",
        "condottiere_site.wsgi",
    ],
}
PATHS = ["/", "/privacy/", "/nowhere/", "/accounts/login/", "/operator/admin/", "/static/look/site.css"]


@pytest.fixture(params=SERVERS)
def port(request: pytest.FixtureRequest, transactional_db: None, tmp_path: Any) -> Iterator[int]:
    """Where a web server of this kind serves the site."""
    number = free_port()
    log = (tmp_path / "log").open("wb")
    process = subprocess.Popen(
        [sys.executable, *(word.format(port=number) for word in SERVERS[request.param])],
        cwd=settings.BASE_DIR,
        env=os.environ | {"DATABASE_URL": test_database_url(), "SITE_URL": f"http://127.0.0.1:{number}"},
        stdout=log,
        stderr=log,
    )
    try:
        wait_until(lambda: answers(number) or process.poll() is not None, 60, "the web server")
        yield number
    finally:
        process.terminate()
        process.wait(20)


def answers(port: int) -> bool:
    """Whether the site can be asked for a page."""
    try:
        connection = HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", "/privacy/")
        return connection.getresponse().status == 200
    except OSError:
        return False


def head_of(stream: Any) -> list[str]:
    """The lines of an answer's head, read up to the empty line."""
    lines = []
    while line := stream.readline().decode("latin-1").rstrip("\r\n"):
        lines.append(line)
    return lines


def length_of(head: list[str]) -> int:
    """What it says of the body's length."""
    (length,) = (int(each.split()[1]) for each in head if each.lower().startswith("content-length:"))
    return length


@pytest.mark.once
def test_after_a_head_request_the_next_answer_on_the_same_connection_is_whole(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), 20) as line, line.makefile("rb") as stream:
        for path in PATHS:
            line.sendall(f"HEAD {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            told = head_of(stream)
            assert told[0].startswith("HTTP/1.1 "), path
            line.sendall(b"GET /privacy/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            head = head_of(stream)
            assert head[0] == "HTTP/1.1 200 OK", path
            assert stream.read(length_of(head)).rstrip().endswith(b"</html>")
            assert path != "/privacy/" or length_of(told) == length_of(head)
