"""The cache in which allauth counts attempts. It must not pretend that a limit is reached."""

import errno
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.db import DatabaseCache


class LimitsCache(DatabaseCache):
    """A database cache that raises OSError if it can't store a new value; Django's would go on in silence."""

    def add(
        self, key: Any, value: Any, timeout: float | None = DEFAULT_TIMEOUT, version: int | None = None
    ) -> bool:
        """Store a value unless there is one; return whether it was stored."""
        is_stored = super().add(key, value, timeout, version)
        if not is_stored and self.get(key, version=version) is None:
            raise OSError(errno.ENOSPC, "the cache could not be written")
        return is_stored
