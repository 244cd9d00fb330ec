"""HEAD on the wire: headers and no body, so that the next answer on the same connection can be read."""

import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.site.serving import GUNICORN, WAITRESS, served

PATHS = ["/", "/privacy/", "/nowhere/", "/accounts/login/", "/operator/admin/", "/static/look/site.css"]


@pytest.fixture(
    params=[WAITRESS, pytest.param(GUNICORN, marks=pytest.mark.long)], ids=["waitress", "gunicorn"]
)
def port(request: pytest.FixtureRequest, transactional_db: None, tmp_path: Path) -> Iterator[int]:
    """Where a web server of this kind serves the site."""
    with served(request.param, tmp_path, SITE_URL="http://127.0.0.1") as number:
        yield number


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
