"""A pytest plugin that leaves nothing to chance: what is drawn depends on the page and on what it is for.

A part of `python -m tests.look.compare`. Loaded before the settings, because they draw a key.
"""

from __future__ import annotations

import email.utils
import os
import random
import secrets
from collections import Counter
from collections.abc import Sequence
from hashlib import shake_256
from typing import Any

_at = ""
_drawn: Counter[str] = Counter()


def begin(what: str) -> None:
    """Begin to draw for this page or email: what others drew before doesn't matter."""
    global _at
    _at = what
    _drawn.clear()
    random.seed(what)


def _bytes(size: int, purpose: str) -> bytes:
    """Return the next bytes for this purpose. Other purposes don't shift them."""
    _drawn[purpose] += 1
    return shake_256(f"{_at} {purpose} {_drawn[purpose]}".encode()).digest(size)


def _below(end: int, purpose: str) -> int:
    return int.from_bytes(_bytes(8, purpose)) % end


def _choice(things: Sequence[Any]) -> Any:
    return things[_below(len(things), f"one of {things!r}"[:200])]


def _size(given: int | None) -> int:
    return 32 if given is None else given


# Secrets that shuffle cards are the same everywhere, so no game depends on how often something is drawn.
secrets.token_bytes = lambda nbytes=None: shake_256(b"bytes").digest(_size(nbytes))
secrets.token_hex = lambda nbytes=None: _bytes(_size(nbytes), f"hex {nbytes}").hex()
secrets.token_urlsafe = lambda nbytes=None: _bytes(_size(nbytes), f"urlsafe {nbytes}").hex()[
    : _size(nbytes) * 4 // 3
]
secrets.choice = _choice
secrets.randbelow = lambda exclusive_upper_bound: _below(
    exclusive_upper_bound, f"below {exclusive_upper_bound}"
)
email.utils.make_msgid = lambda idstring=None, domain=None: f"<{_bytes(8, 'msgid').hex()}@{domain}>"
os.urandom = lambda size, /: _bytes(size, f"urandom {size}")
