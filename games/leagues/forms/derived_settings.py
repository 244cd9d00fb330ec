"""Settings of a season that follow from others, and that the form doesn't show."""

from __future__ import annotations

from math import ceil
from typing import Any

from games.models import MAX_SEATS, MIN_SEATS
from games.presenters.time_settings import EXPECTED_DAYS

_USUAL_DAYS_WITHOUT_CLOCK = 60

# each setting with those from which it follows
FOLLOWS = (
    ("extension_days", "table_days"),
    ("min_players", "division_size", "most_divisions", "size"),
)


def completed(plan: dict[str, Any]) -> dict[str, Any]:
    """Add what follows from other settings of a plan, as far as they are known."""
    plan = dict(plan)
    pace, size = plan.get("terms", {}).get("pace"), plan.get("size")
    if size and not plan.get("table_days"):
        plan["table_days"] = days_for_most_games(pace, size)
    if plan.get("table_days"):
        plan["extension_days"] = min(ceil(plan["table_days"] / 4), 90)
    if size and plan.get("division_size") and plan.get("most_divisions"):
        plan["min_players"] = max(size, plan["division_size"] * plan["most_divisions"] // 2)
    return plan


def days_for_most_games(pace: str | None, size: int) -> int:
    """Return a round number of days in which 9 out of 10 games end, at the larger tables too."""
    if pace not in EXPECTED_DAYS:
        return _USUAL_DAYS_WITHOUT_CLOCK
    largest = size if size == MIN_SEATS else min(size + 1, MAX_SEATS)
    return ceil(EXPECTED_DAYS[pace][largest][1] / 10) * 10
