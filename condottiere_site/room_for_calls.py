"""Room on Python's stack for the calls of a request or a task: some versions are slow without it.

Python keeps the frames of its calls in chunks of 16 kB. Without the fix of python/cpython#142183, which
3.11 and 3.12 will not get, it asks the system for a chunk whenever a call crosses the end of the last one,
and gives it back when that call returns. Templates in templates cross it in the middle of their loops:
hundreds of times for a game page, a sixth of its time. A frame larger than a chunk gets one of its own,
with room after it.
"""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_WORDS = 16_000  # of a chunk of 32,000: the rest is room for some 700 frames


def with_room(function: Callable[P, R]) -> Callable[P, R]:
    """Return the function with room for all calls that it leads to; as a middleware, those of a request."""

    def roomy(*args: P.args, **kwargs: P.kwargs) -> R:
        return function(*args, **kwargs)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=_WORDS)
    return roomy
