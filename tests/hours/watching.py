"""A receiver of changed hours that records its calls, and one that refuses every change."""

from typing import Any

from accounts.working_hours import NeverOpen

told: list[tuple[Any, Any, Any]] = []


def note(user: Any, hours_before: Any, now: Any, **_: Any) -> None:
    told.append((user, hours_before, now))


def refuse(**_: Any) -> None:
    raise NeverOpen("years")
