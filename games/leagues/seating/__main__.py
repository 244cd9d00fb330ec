"""`python -m games.leagues.seating FILE`: seat every round of a division again and report differences.

The file is the one that the division's page offers (docs/LEAGUES.md).
This is the only seating module that reads and prints. It needs nothing but Python itself.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

from games.leagues.seating.seating_file import differences

from .seating_file import BadFile, SeatingFile, read_seating

AS_DRAWN, SOME_ROUND_DIFFERS, UNREADABLE_FILE, INTERRUPTED = 0, 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one file; return 1 if any round differs from the draw, 2 if the file cannot be read."""
    asked = _parser().parse_args(arguments)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # for characters in names that a console lacks
    try:
        status = _check(asked.file)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed the pipe; keep the interpreter from flushing into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except KeyboardInterrupt:
        return INTERRUPTED
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m games.leagues.seating",
        description="Draw every round of a division again from its seed, and compare.",
    )
    parser.add_argument("file", metavar="FILE", help="the seating as a file; - is standard input")
    return parser


def _check(name: str) -> int:
    try:
        file = _read(name)
    except (OSError, ValueError, RecursionError) as unreadable:  # ValueError: a BadFile, or not JSON at all
        reason = "it is nested too deeply" if isinstance(unreadable, RecursionError) else unreadable
        print(_harmless(f"cannot read {name!a}: {reason}"), file=sys.stderr)
        return UNREADABLE_FILE
    _print(f"the seed is {file.seed.hex()}: check that it is the one on the season's page")
    fine = [_tell(file, at) for at in range(len(file.rounds))]
    return AS_DRAWN if all(fine) else SOME_ROUND_DIFFERS


def _read(name: str) -> SeatingFile:
    raw = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        stated = json.loads(raw)
    except ValueError as wrong:
        raise BadFile(f"it is not JSON ({wrong})") from None
    return read_seating(stated)


def _tell(file: SeatingFile, at: int) -> bool:
    """Print whether the round is as it was drawn, and return it."""
    number, found = file.rounds[at].number, differences(file, at)
    for line in found or ["as drawn"]:
        _print(f"round {number}: {line}")
    return not found


def _print(line: str) -> None:
    print(_harmless(line), flush=True)


def _harmless(line: str) -> str:
    """Replace characters that could control a terminal."""
    return "".join(character if character.isprintable() else "?" for character in line)


if __name__ == "__main__":
    sys.exit(main())
