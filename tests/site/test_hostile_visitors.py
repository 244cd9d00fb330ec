"""The embedded web server among visitors who fill it: unfinished, slow and very large requests."""

from __future__ import annotations

import resource
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPConnection

import pytest

from condottiere_site import embedded
from tests.servers import free_port

pytestmark = [pytest.mark.once, pytest.mark.django_db(transaction=True)]
SECONDS = 20
BEGUN = b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
LARGE = BEGUN + b"Content-Length: 300000000\r\n"


@pytest.fixture
def few_files() -> Iterator[None]:
    """As many files may be open as on most systems."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.fixture
def serve(few_files: None) -> Iterator[Callable[[], int]]:
    """Starts the web server, and says at which port."""
    ends = ExitStack()

    def start() -> int:
        port = free_port()
        web = embedded.open_web("127.0.0.1", port)
        serving = threading.Thread(target=web.run, daemon=True)
        serving.start()
        for end in (lambda: serving.join(SECONDS), web.task_dispatcher.shutdown, web.close):
            ends.callback(end)
        return port

    yield start
    ends.close()


def call(port: int, said: bytes) -> socket.socket:
    """A connection on which this was said."""
    line = socket.create_connection(("127.0.0.1", port), SECONDS)
    line.sendall(said)
    return line


def is_served(port: int) -> bool:
    """Whether someone else gets a page."""
    visitor = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
    visitor.request("GET", "/privacy/")
    page = visitor.getresponse().read()
    visitor.close()
    return b"<h1" in page


def test_unfinished_requests_keep_no_one_else_waiting(serve: Callable[[], int], long: bool) -> None:
    port = serve()
    with ExitStack() as opened:
        for _number in range(900 if long else 130):
            opened.enter_context(call(port, BEGUN))
        assert is_served(port)


@pytest.mark.parametrize("said", [LARGE, LARGE + b"Expect: 100-continue\r\n"], ids=["sent", "announced"])
@pytest.mark.long
def test_a_large_body_is_refused_before_it_comes(serve: Callable[[], int], said: bytes) -> None:
    port = serve()
    with call(port, said + b"\r\n") as line:
        assert line.recv(1000).startswith(b"HTTP/1.1 413 ")
    assert is_served(port)


@pytest.mark.long
def test_a_body_of_unknown_length_is_refused_once_it_is_large(serve: Callable[[], int]) -> None:
    with call(serve(), BEGUN + b"Transfer-Encoding: chunked\r\n\r\n") as line:
        for _chunk in range(embedded.LARGEST_BODY // 2**20):
            line.sendall(b"100000\r\n" + b"a" * 2**20 + b"\r\n")
        assert line.recv(1000).startswith(b"HTTP/1.1 413 ")


def test_a_request_that_comes_byte_by_byte_is_cut_off(
    serve: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "ARRIVES_WITHIN", 1)
    monkeypatch.setattr(embedded, "CLOSES_WITHIN", 1)
    with call(serve(), BEGUN) as line:
        assert is_cut_off(line)


def is_cut_off(line: socket.socket) -> bool:
    """Whether the other side hangs up while a byte comes every tenth of a second."""
    line.settimeout(0.1)
    for _byte in range(SECONDS * 10):
        try:
            line.sendall(b"a")
            if line.recv(1) == b"":
                return True
        except TimeoutError:
            continue
        except ConnectionError:
            return True
    return False
