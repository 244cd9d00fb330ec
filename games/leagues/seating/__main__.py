"""`python -m games.leagues.seating FILE`: seat every round of a division again and report differences.

The file is the one that the division's page offers (docs/LEAGUES.md).

This is the only seating module that reads and prints. It needs nothing but Python itself.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import zip_longest
from pathlib import Path
from typing import Any

from games.leagues.seating import KIND, KIND_OF_ONE_ROUND, Seated, seat_next

AS_DRAWN, SOME_ROUND_DIFFERS, UNREADABLE_FILE = 0, 1, 2
_UNREADABLE = (
    ArithmeticError, AttributeError, LookupError, OSError, RecursionError, TypeError, ValueError,
)  # fmt: skip


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one file; return 1 if any round differs from the draw, 2 if the file cannot be read."""
    parser = argparse.ArgumentParser(
        prog="python -m games.leagues.seating",
        description="Draw every round of a division again from its seed, and compare.",
    )
    parser.add_argument("file", metavar="FILE", help="the seating as a file; - is standard input")
    name: str = parser.parse_args(arguments).file
    try:
        file = json.loads(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
        seed, rounds = bytes.fromhex(file["seed"]), list(_check_rounds(file))
    except _UNREADABLE as wrong:
        print(_harmless(f"cannot read {name!a} as a seating file ({KIND}): {wrong!r}"), file=sys.stderr)
        return UNREADABLE_FILE
    print(f"the seed is {seed.hex()}: check that it is the one on the season's page")
    for number, differences in rounds:
        for line in differences or ["as drawn"]:
            print(_harmless(f"round {number}: {line}"))
    return SOME_ROUND_DIFFERS if any(differences for _number, differences in rounds) else AS_DRAWN


def _check_rounds(file: dict[str, Any]) -> Iterator[tuple[int, list[str]]]:
    """Yield each round with its differences. A round is seated by those before it, as the file has them."""
    if file["file"] not in (KIND, KIND_OF_ONE_ROUND):
        raise ValueError(file["file"])
    sized_for = file["sized_for"] if file["file"] == KIND else 1
    names, before = {one["number"]: one["name"] for one in file["players"]}, list[Seated]()
    for one in file["rounds"]:
        found = Seated(tuple(map(tuple, one["tables"])), tuple(one["byes"]))
        scores = {int(who): Fraction(text) for who, text in (one["scores"] or {}).items()} or None
        if file["format"] == "swiss" and scores is None:
            told = ["not checked, for the file does not say what everybody had before it"]
        else:
            seed, size, planned = bytes.fromhex(file["seed"]), file["size"], file["rounds_planned"]
            early = {"away": file.get("away", ()), "at_once": file.get("at_once", 1)}
            early["sized_for"] = sized_for
            drawn = seat_next(one["players"], size, planned, seed, before=before, scores=scores, **early)
            told = list(_differences(found, drawn, names))
        before.append(found)
        yield one["round"], told


def _differences(found: Seated, drawn: Seated, names: Mapping[int, str]) -> Iterator[str]:
    def named(players: Iterable[int]) -> str:
        return ", ".join(f"{names.get(player, '?')} ({player})" for player in players) or "no one"

    tables = zip_longest(found.tables, drawn.tables, fillvalue=())
    for number, (here, there) in enumerate(tables, start=1):
        if here != there:
            yield f"table {number} has {named(here)}, but the seed draws {named(there)}"
    if set(found.byes) != set(drawn.byes):
        yield f"byes: {named(sorted(found.byes))}, but the seed draws {named(sorted(drawn.byes))}"


def _harmless(line: str) -> str:
    """Replace characters that could control a terminal, or that it may lack."""
    readable = "".join(character if character.isprintable() else "?" for character in line)
    encoding = sys.stdout.encoding or "ascii"
    return readable.encode(encoding, "backslashreplace").decode(encoding)


if __name__ == "__main__":
    sys.exit(main())
