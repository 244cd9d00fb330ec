"""Work that may hang, such as a query of a stopped server: no one waits for it longer than a few seconds."""

import logging
import threading
import time
from collections.abc import Callable
from contextvars import copy_context
from typing import Generic, TypeVar

LASTS = 5.0  # seconds for which a result is given again
WAITS = 5.0  # seconds for which anyone waits for it

T = TypeVar("T")

logger = logging.getLogger(__name__)


class LimitedWork(Generic[T]):
    """Work of this process that is begun at most once in five seconds, and never twice at a time."""

    def __init__(self, work: Callable[[], T]) -> None:
        """Do `work` in a thread of its own, which may hang for as long as it likes."""
        self._work = work
        self._lock = threading.Lock()
        self._run: _Run[T] | None = None

    def result(self) -> T | None:
        """Return what the work has found, or None if it hangs or has raised an error."""
        with self._lock:
            run = self._run
            if run is None or run.is_old:
                run = self._run = _Run(self._work)
                run.start()
        run.join(max(0.0, run.began + WAITS - time.monotonic()))
        return run.found


class _Run(threading.Thread, Generic[T]):
    """The work, once."""

    def __init__(self, work: Callable[[], T]) -> None:
        super().__init__(daemon=True)
        self.found: T | None = None
        self.began = time.monotonic()
        self._context, self._work = copy_context(), work

    def run(self) -> None:
        try:
            self.found = self._context.run(self._work)
        except Exception:  # whatever it is, those who ask get an answer
            logger.exception("the health of the site could not be seen")

    @property
    def is_old(self) -> bool:
        """Return whether it has ended and its result is no longer given."""
        return not self.is_alive() and time.monotonic() - self.began > LASTS
