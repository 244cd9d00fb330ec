"""Command line for game records: `python -m games.rules selfplay | replay | verify` (RECORD.md).

This is the only file of the rules that reads files. It prints JSON lines and returns an exit status.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from .commands import FAILED, FINE, CommandParser, Unusable, count, ended, file_problem, players
from .errors import InvalidRecord, UnknownOption, quoted
from .jsonlines import lines_of, parsed
from .match import does_not_follow
from .observation import position
from .options import EDITIONS, SEATS, VARIANTS, Options
from .record import Record, record_json, replay_record, verify
from .record_reading import read_record
from .selfplay import selfplay_game

PROGRAM = "python -m games.rules"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    The status is 1 if any record failed, and 2 if a file or an argument could not be read.
    """
    asked = _parser().parse_args(arguments)
    return ended(PROGRAM, lambda: asked.run(asked))


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(prog=PROGRAM, description="Play, replay and verify game records.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=CommandParser)
    selfplay = commands.add_parser("selfplay", help="write finished records of random legal play")
    selfplay.add_argument("--games", type=count, required=True, metavar="N")
    selfplay.add_argument("--seed", required=True, metavar="S", help="the same seed gives the same games")
    selfplay.add_argument(
        "--players", type=players, metavar="P", help=f"{SEATS[0]} to {SEATS[-1]}; they vary if not said"
    )
    selfplay.add_argument(
        "--edition", default=Options().edition, metavar="E", help=f"{' or '.join(EDITIONS)}; 2007 if not said"
    )
    selfplay.add_argument("--variants", default="", metavar="a,b", help=f"any of {', '.join(VARIANTS)}")
    selfplay.set_defaults(run=_selfplay)
    replay = commands.add_parser("replay", help="print the last position of each record")
    replay.add_argument("file", metavar="FILE", help="JSON Lines; - is standard input")
    replay.add_argument("--trace", action="store_true", help="print the position after each log entry")
    replay.set_defaults(run=lambda asked: _each_record(asked.file, partial(_replay, trace=asked.trace)))
    checking = commands.add_parser("verify", help="check shuffles, moves and result of each record")
    checking.add_argument("file", metavar="FILE", help="JSON Lines; - is standard input")
    checking.set_defaults(run=lambda asked: _each_record(asked.file, _Verifying().answer))
    return parser


def _selfplay(asked: argparse.Namespace) -> int:
    try:
        options = Options(asked.edition, tuple(name for name in asked.variants.split(",") if name))
    except UnknownOption as unknown:
        raise Unusable(str(unknown)) from None
    for number in range(asked.games):
        _print(record_json(selfplay_game(options, asked.players, asked.seed, number)))
    return FINE


def _print(value: dict[str, Any]) -> None:
    print(json.dumps(value))


def _each_record(name: str, answer: Callable[[int, bytes], bool]) -> int:
    """Process a file line by line.

    A file of any length fits in memory, and a bad record does not stop the ones after it.
    """
    read = failed = 0
    for line in _lines(name):
        failed += not answer(read, line)
        read += 1
    if not read:
        raise Unusable(f"no record in {_shown(name)}. Name a file with a record on each line.")
    return FAILED if failed else FINE


def _lines(name: str) -> Iterator[bytes]:
    """Yield the lines of a file, or of standard input. Raises Unusable."""
    try:
        if name == "-" and sys.stdin is None:
            raise Unusable("standard input is closed. Name a file.")
        with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as file:
            yield from lines_of(file)
    except OSError as unreadable:
        raise Unusable(file_problem(unreadable)) from None
    except ValueError as unusable:  # a name with a NUL in it
        raise Unusable(f"can't read {_shown(name)}: {unusable}. Name another file.") from None


def _shown(name: str) -> str:
    return "standard input" if name == "-" else quoted(name)


def _replay(number: int, line: bytes, trace: bool) -> bool:
    """Print the last position, or with `trace` one position per entry; return False if the record fails.

    Also prints where it fails.
    """
    try:
        record, unreadable = _read_so_far(line)
    except InvalidRecord as invalid:
        return _failed(number, None, str(invalid))
    played = replay_record(record)
    if trace:
        for state in played.states[1:]:
            _print(position(state))
    error = played.error or unreadable
    if error is not None:
        return _failed(number, *error)
    if not trace:
        _print(position(played.state))
    return True


class _Verifying:
    """Verifies records one after another; in a match's file, each also against the one before it."""

    def __init__(self) -> None:
        self.before: Record | None = None

    def answer(self, number: int, line: bytes) -> bool:
        before, self.before = self.before, None
        try:
            record, unreadable = _read_so_far(line)
        except InvalidRecord as invalid:
            return _failed(number, None, str(invalid))
        checked = verify(record)
        if not checked.ok:
            return _failed(number, checked.entry, str(checked.error))
        if unreadable is not None:
            return _failed(number, *unreadable)
        self.before = record
        wrong = None if before is None else does_not_follow(before, record)
        if wrong is not None:
            return _failed(number, None, wrong)
        ok = {"record": number, "ok": True, "proved": checked.proved}
        _print(ok if checked.proved_from is None else {**ok, "proved_from": checked.proved_from})
        return True


def _failed(number: int, entry: int | None, error: str) -> bool:
    _print({"record": number, "entry": entry, "error": error})
    return False


def _read_so_far(line: bytes) -> tuple[Record, tuple[int, str] | None]:
    """Return the record, cut at its first unreadable log entry, with that entry's number and its error."""
    obj = parsed(line)
    try:
        return read_record(obj), None
    except InvalidRecord as invalid:
        if invalid.entry is None or not isinstance(obj, dict):
            raise
        readable = {**obj, "log": obj["log"][: invalid.entry], "result": None}
        return read_record(readable), (invalid.entry, str(invalid))


if __name__ == "__main__":
    sys.exit(main())
