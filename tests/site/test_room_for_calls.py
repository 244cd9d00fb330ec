"""Calls that cross the end of a chunk of Python's stack ask the system for memory each time."""

import resource
import sys
from collections.abc import Callable

import pytest
from django.conf import settings

from condottiere_site.celery import app
from condottiere_site.room_for_calls import with_room

CALLS = 500
DEPTHS = range(120)  # frames: more than a chunk holds


def leaf() -> None:
    pass


def call_often() -> None:
    for _time in range(CALLS):
        leaf()


def at_depth(depth: int, work: Callable[[], None]) -> None:
    if depth:
        at_depth(depth - 1, work)
    else:
        work()


def new_pages(depth: int) -> int:
    """Return how many pages of memory many calls at this depth ask for."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    at_depth(depth, call_often)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_calls_at_any_depth_ask_for_little_memory() -> None:
    assert max(with_room(new_pages)(depth) for depth in DEPTHS) < CALLS / 2


def test_without_room_they_ask_for_it_each_time_if_python_is_not_mended() -> None:
    assert max(map(new_pages, DEPTHS)) >= CALLS or sys.version_info >= (3, 13)


def test_requests_and_tasks_have_room() -> None:
    assert settings.MIDDLEWARE[0] == "condottiere_site.room_for_calls.with_room"
    assert app.Task.__call__.__code__.co_stacksize > 10_000


def test_it_passes_on_what_it_gets_and_gives() -> None:
    assert with_room(divmod)(7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        with_room(divmod)(1, 0)
