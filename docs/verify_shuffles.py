"""Check the commitment and every shuffle of finished games: `python verify_shuffles.py games.jsonl`.

It uses nothing of this site, only the description in games/rules/RECORD.md and Python itself.
"""

import json
import sys
from collections.abc import Iterator
from hashlib import sha256
from hmac import digest
from itertools import count
from pathlib import Path
from struct import unpack
from typing import Any

ORDER = "1 2 3 4 5 6 10 courtesan heroine drummer scarecrow bishop winter spring surrender"


def words(key: bytes, label: bytes) -> Iterator[int]:
    """Yield 32-bit words, 8 from each block."""
    for block in count():
        yield from unpack(">8I", digest(key, label + block.to_bytes(4, "big"), "sha256"))


def below(limit: int, drawn: Iterator[int]) -> int:
    """Return a number below the limit; words that would favour small numbers are skipped."""
    return next(word for word in drawn if word < (1 << 32) - (1 << 32) % limit) % limit


def shuffled(key: bytes, number: int, cards: list[str]) -> list[str]:
    """Return shuffle `number` of these cards, from the top."""
    pile = sorted(cards, key=ORDER.split().index)
    drawn = words(key, b"condottiere-shuffle-1" + number.to_bytes(4, "big"))
    for last in range(len(pile) - 1, 0, -1):
        other = below(last + 1, drawn)
        pile[last], pile[other] = pile[other], pile[last]
    return pile


def fault(record: dict[str, Any]) -> str | None:
    """Return what is wrong with the shuffles of a game, or None."""
    secret, nonces = bytes.fromhex(record["secret"] or ""), bytes.fromhex("".join(record["nonces"]))
    if sha256(secret).hexdigest() != record["commitment"]:
        return "the secret does not make the commitment" if secret else "there is no secret to check with"
    key = sha256(b"condottiere-seed-1" + secret + nonces).digest()
    copied = max([part["entries"] for part in record.get("copied") or []], default=0)  # proved elsewhere
    moves = [(at, entry[1].split()) for at, entry in enumerate(record["log"])]
    shuffles = [(at, pile) for at, (kind, *pile) in moves if kind == "shuffle"]
    for number, (at, pile) in enumerate(shuffles):
        if at >= copied and pile != shuffled(key, number, pile):
            return f"entry {at} is not the shuffle that follows from the key"
    return None


if __name__ == "__main__":
    faults = [fault(json.loads(line)) for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()]
    for number, found in enumerate(faults):
        print(f"record {number}: {found or 'every shuffle is right'}")
    sys.exit(any(faults))
