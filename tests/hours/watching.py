"""A spectator of hours that writes down what it was told; named in settings.HOURS_WATCHERS by tests."""

from typing import Any

from accounts.working_hours import NeverOpen

told: list[tuple[Any, Any, Any]] = []


def note(user: Any, before: Any, now: Any) -> None:
    told.append((user, before, now))


def refuse(user: Any, before: Any, now: Any) -> None:
    raise NeverOpen("years")
