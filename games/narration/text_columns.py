"""Plain-text columns for emails, as every mail program shows them."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest

INDENT = "  "
WIDEST = 72  # characters, which every mail program shows in one line
NARROWEST_FOLD = 16


def in_columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as indented text in aligned columns; a cell may have several lines.

    Where a line would be longer than mail programs show, the widest columns are folded.
    """
    widths = _widths(rows)
    return "\n".join(line for row in rows for line in _lines_of_row(row, widths))


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    columns = list(zip(*rows, strict=True))
    widths = [max(len(line) for cell in column for line in cell.split("\n")) for column in columns]
    while sum(widths) + len(INDENT) * len(widths) > WIDEST and max(widths) > NARROWEST_FOLD:
        widths[widths.index(max(widths))] -= 1
    return widths


def _lines_of_row(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    cells = [_folded(cell, width) for cell, width in zip(row, widths, strict=True)]
    for parts in zip_longest(*cells, fillvalue=""):
        text = INDENT.join(part.ljust(width) for part, width in zip(parts, widths, strict=True))
        yield f"{INDENT}{text.rstrip()}"


def _folded(cell: str, width: int) -> list[str]:
    return [part for line in cell.split("\n") for part in textwrap.wrap(line, width) or [""]]
