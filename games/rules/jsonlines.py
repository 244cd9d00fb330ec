"""JSON Lines as records are kept in: strict, and safe with any bytes. It is handed a file and opens none."""

import json
from collections.abc import Iterator
from typing import BinaryIO

from .errors import InvalidRecord, quoted

# A long game is some hundred kilobytes; what is longer is no record, and must not fill the memory.
LONGEST_RECORD = 1 << 24


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Each line, one that is too long cut to one byte too many."""
    while line := file.readline(LONGEST_RECORD + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_RECORD)
        yield line


def parsed(line: bytes) -> object:
    """The JSON value on a line. Raises InvalidRecord."""
    if len(line) > LONGEST_RECORD:
        raise InvalidRecord(f"longer than {LONGEST_RECORD} bytes")
    try:
        return json.loads(line.decode("utf-8"), object_pairs_hook=_each_key_once, parse_constant=_no_constant)
    except InvalidRecord:
        raise
    except json.JSONDecodeError as error:
        raise InvalidRecord(f"not JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError) as error:
        # Bytes that are no UTF-8, a number of thousands of digits, brackets nested without end.
        raise InvalidRecord(f"not JSON: {quoted(str(error))}") from None


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """JSON leaves open which of two equal keys counts; a record must not say two things."""
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise InvalidRecord("a key is given twice")
    return keys


def _no_constant(name: str) -> object:
    raise InvalidRecord(f"not JSON: {name}")
