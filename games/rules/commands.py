"""What the commands of the rules and of the bots share: their arguments, exit statuses, and what ends them.

A fault is said in one line: what is wrong, then what to do. No traceback.
"""

import argparse
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from .errors import quoted
from .options import SEATS

FINE, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
MOST = 1_000_000


class Unusable(Exception):
    """An argument or a file that a command can't use; the message says what to do."""


class CommandParser(argparse.ArgumentParser):
    """An argument parser that prints errors in one line, without the usage text."""

    def error(self, message: str) -> NoReturn:
        shown = message if len(message) <= 300 else f"{message[:300]}..."
        print(f"{self.prog}: {' '.join(shown.split())}. Add --help for all arguments.", file=sys.stderr)
        raise SystemExit(UNUSABLE)


def ended(program: str, run: Callable[[], int]) -> int:
    """Run a command and return its exit status."""
    try:
        status = run()
        print(end="", flush=True)
    except BrokenPipeError:
        _drop_output()  # the reader closed the pipe
        return FINE
    except KeyboardInterrupt:
        return INTERRUPTED
    except (Unusable, OSError) as problem:
        _drop_output()
        said = problem if isinstance(problem, Unusable) else file_problem(problem)
        print(f"{program}: {said}", file=sys.stderr)
        return UNUSABLE
    return status


def file_problem(error: OSError) -> str:
    """Say what is wrong with a file, and what to do."""
    if error.filename is None:
        return f"can't read or write: {error.strerror}. Make room, or name another file."
    return f"can't use {quoted(os.fspath(error.filename), 200)}: {error.strerror}. Name another file."


def _drop_output() -> None:
    """Write what is left if that is possible; keep the interpreter from trying it again."""
    try:
        print(end="", flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def count(text: str) -> int:
    """Return a number of games or of other work."""
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST))
    if not (is_number and 1 <= int(text) <= MOST):
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number from 1 to {MOST}")
    return int(text)


def players(text: str) -> int:
    """Return a number of players."""
    if text not in [str(number) for number in SEATS]:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is not a number from {SEATS[0]} to {SEATS[-1]}")
    return int(text)
