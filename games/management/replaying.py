"""Replay many games with every core: processes of their own, each with its own database connection."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from typing import TYPE_CHECKING

import django

if TYPE_CHECKING:  # models can't be imported before a process has set Django up
    from games.selectors.integrity import Difference

    Batch = Sequence[int]  # numbers of games
    Wrong = dict[int, list[Difference]]  # by game
    Replayed = tuple[Batch, Wrong]

AHEAD = 2  # batches per process that wait for a free one


def replay_batches(batches: Iterable[Batch], processes: int) -> Iterator[Replayed]:
    """Yield each batch with its differences, in order. With one process, this one does the work."""
    if processes == 1:
        for batch in batches:
            yield batch, _replay(batch)
        return
    # Spawned, not forked: a fork would share the parent's connections and know nothing of its threads.
    with ProcessPoolExecutor(processes, get_context("spawn"), _set_up) as pool:
        try:
            yield from _in_order(pool.submit, batches, processes * (1 + AHEAD))
        finally:
            pool.shutdown(cancel_futures=True)


def _in_order(
    submit: Callable[..., Future[Wrong]], batches: Iterable[Batch], most: int
) -> Iterator[Replayed]:
    submitted: deque[tuple[Batch, Future[Wrong]]] = deque()
    for batch in batches:
        submitted.append((batch, submit(_replay, batch)))
        if len(submitted) == most:
            first, future = submitted.popleft()
            yield first, future.result()
    for batch, future in submitted:
        yield batch, future.result()


def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _replay(batch: Batch) -> Wrong:
    from games.selectors.integrity import differences_of

    return differences_of(batch)


def _set_up() -> None:
    """Prepare a process: it leaves Ctrl-C to its parent, and ends with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    django.setup()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
