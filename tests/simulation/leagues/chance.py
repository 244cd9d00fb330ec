"""While a world is simulated, the secrets of its tables and the seeds of its draws come from the world's own
seed: so that the same seed gives the same season."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from unittest.mock import patch

USUAL = 32


@contextmanager
def drawn_from(rng: Random) -> Iterator[None]:
    """Draw every secret and seed from this generator in this block."""

    def token_bytes(nbytes: int | None = None) -> bytes:
        return rng.randbytes(USUAL if nbytes is None else nbytes)

    def token_hex(nbytes: int | None = None) -> str:
        return token_bytes(nbytes).hex()

    with patch.object(secrets, "token_bytes", token_bytes), patch.object(secrets, "token_hex", token_hex):
        yield
