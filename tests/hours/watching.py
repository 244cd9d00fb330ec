"""A listener for changed hours that records its calls; tests name it in settings.HOURS_WATCHERS."""

from typing import Any

from accounts.working_hours import NeverOpen

told: list[tuple[Any, Any, Any]] = []


def note(user: Any, before: Any, now: Any) -> None:
    told.append((user, before, now))


def refuse(user: Any, before: Any, now: Any) -> None:
    raise NeverOpen("years")
