"""Strict JSON Lines for records, safe with any bytes. Works on open files and opens none."""

import json
from collections.abc import Iterator
from typing import BinaryIO

from .errors import InvalidRecord, quoted

# A long game takes some hundred kilobytes. A longer line is not a record and must not fill the memory.
LONGEST_RECORD = 1 << 24


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield each line. A line that is too long is cut to one byte more than the limit."""
    while line := file.readline(LONGEST_RECORD + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = file.readline(LONGEST_RECORD)
        yield line


def parsed(line: bytes) -> object:
    """Return the JSON value on a line. Raises InvalidRecord."""
    if len(line) > LONGEST_RECORD:
        raise InvalidRecord(f"longer than {LONGEST_RECORD} bytes")
    try:
        return json.loads(line.decode("utf-8"), object_pairs_hook=_each_key_once, parse_constant=_no_constant)
    except InvalidRecord:
        raise
    except json.JSONDecodeError as error:
        raise InvalidRecord(f"not JSON: {error.msg} at character {error.pos}") from None
    except (ValueError, RecursionError) as error:
        # Bytes that are not UTF-8, a number with thousands of digits, or brackets nested too deep.
        raise InvalidRecord(f"not JSON: {quoted(str(error))}") from None


def _each_key_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object with a repeated key: JSON doesn't say which one counts."""
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise InvalidRecord("a key is given twice")
    return keys


def _no_constant(name: str) -> object:
    raise InvalidRecord(f"not JSON: {name}")
