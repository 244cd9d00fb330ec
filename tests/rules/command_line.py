"""`python -m games.rules`, called in this process: quick, and what it runs through is measured."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any
from unittest.mock import patch

from games.rules.__main__ import main


class _Given:
    """Standard input."""

    def __init__(self, given: bytes) -> None:
        self.buffer = io.BytesIO(given)


def run(*arguments: str, given: bytes = b"") -> tuple[int, list[Any], str]:
    """Return the exit status, the JSON lines printed, and the standard error output."""
    printed, said = io.StringIO(), io.StringIO()
    with patch.object(sys, "stdin", _Given(given)), redirect_stdout(printed), redirect_stderr(said):
        try:
            status = main(arguments)
        except SystemExit as ended:  # argparse knows no other way
            status = int(ended.code or 0)
    return status, [json.loads(line) for line in printed.getvalue().splitlines()], said.getvalue()
