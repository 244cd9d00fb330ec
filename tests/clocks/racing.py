"""Run actions at one moment, each in its own thread and database connection."""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.db import connection
from hypothesis import settings

from accounts import clock
from tests.clocks.passing import Wall
from tests.servers import HANGS

# A race is run once, and with `--long` several times: once could be luck.
TIMES = 4 if settings.get_current_profile_name() == "long" else 1


def at_once(
    wall: Wall,
    *actions: Callable[[], object],
    allowed: type[Exception] | tuple[type[Exception], ...] = Exception,
) -> list[object]:
    """Run all actions at the same moment. An allowed exception is an action's result."""
    start = threading.Barrier(len(actions))
    done: list[object] = [None] * len(actions)

    def do(number: int) -> None:
        try:
            connection.ensure_connection()
            start.wait(HANGS)
            with clock.use_clock(wall):
                done[number] = actions[number]()
        except Exception as error:  # noqa: BLE001 - told by the test's own thread
            done[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=do, args=(number,)) for number in range(len(actions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(HANGS)
    assert not any(thread.is_alive() for thread in threads), "an action waits for ever"
    for result in done:
        if isinstance(result, Exception) and not isinstance(result, allowed):
            raise result
    return done
