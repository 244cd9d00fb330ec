"""A glimpse of a game for lists: a copy of the public part of its position, and the last event.

Made from what everyone sees, so it tells no one a secret (R17). Stored as facts, and put into words for each
reader.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from games.rules import Event, Observation, Phase, State, observe, prizes, redact
from games.rules import events as happened

_TOLD = (
    happened.RegionChosen,
    happened.CardPlayed,
    happened.PopePlaced,
    happened.Passed,
    happened.RegionConquered,
    happened.RegionDefended,
    happened.NobodyConquered,
    happened.FinalBattleBegun,
)


def glimpse_of(state: State, happened_now: Iterable[Event], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the glimpse of a position after these events; it keeps the last event if none is notable."""
    seen = observe(state, None)
    told = [event for event in redact(happened_now, None) if isinstance(event, _TOLD)]
    last = [type(told[-1]).__name__, asdict(told[-1])] if told else before.get("last")
    found = {
        "control": dict(seen.control),
        "battle": seen.battle,
        "battles": state.battles,
        "pope": seen.pope,
        "last": last,
    }
    return {**found, "near": _near(seen, found, before)}


def _near(seen: Observation, now: Mapping[str, Any], before: Mapping[str, Any]) -> list[int]:
    """Return the seats that would win by a region that may be fought for; cards and passes change none."""
    is_settled = seen.phase == Phase.OVER or seen.final_battle
    if not is_settled and all(before.get(part) == now[part] for part in ("control", "battle", "pope")):
        near: list[int] = before["near"]
        return near
    return sorted({seat for seats in prizes(seen).values() for seat in seats})


def last_event(glimpse: Mapping[str, Any]) -> Event | None:
    """Return the last event of a glimpse; None if there is none."""
    if not glimpse.get("last"):
        return None
    kind, facts = glimpse["last"]
    event: Event = getattr(happened, kind)(**facts)
    return event
