"""The site behind a real web server, in a process of its own."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from django.conf import settings

from tests.conftest import test_database_url
from tests.servers import HANGS, free_port, wait_until

GUNICORN = ["gunicorn", "--bind=127.0.0.1:{port}", "--threads=2", "--keep-alive=20", "condottiere_site.wsgi"]
WAITRESS = ["waitress", "--host=127.0.0.1", "--port={port}", "condottiere_site.wsgi:application"]


@contextmanager
def served(server: list[str], folder: Path, **environment: str) -> Iterator[int]:
    """The port at which it answers, on the database of the test; it logs into the folder."""
    port = free_port()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", *(word.format(port=port) for word in server)],
            cwd=settings.BASE_DIR,
            env=os.environ | {"DATABASE_URL": test_database_url()} | environment,
            stdout=log,
            stderr=log,
        )
    try:
        wait_until(lambda: _answers(port) or process.poll() is not None, "the web server")
        yield port
    finally:
        process.terminate()
        process.wait(HANGS)


def _answers(port: int) -> bool:
    try:
        connection = HTTPConnection("127.0.0.1", port, timeout=HANGS)
        connection.request("GET", "/privacy/")
        return connection.getresponse().status < 500
    except OSError:
        return False
