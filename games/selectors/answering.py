"""How fast a person answers, from the logs of their finished games."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from games.models import LogEntry
from games.selectors.played_games import PlayedGame

LATEST_GAMES = 20
FEWEST_ANSWERS = 10


def usual_answer(person: int, played: Sequence[PlayedGame]) -> timedelta | None:
    """Return the time in which half of a person's turns in their latest games came, in one query.

    Returns None for too few. A turn begins with the last move of someone else. Secret answers do not count,
    as nothing tells when they were asked (R17).
    """
    seats = {one.game.pk: one.seats[person] for one in played[:LATEST_GAMES]}
    entries = LogEntry.objects.filter(game__in=seats).order_by("game", "ply")
    took = list[timedelta]()
    before_game, before_seat, before_at = None, None, None
    for game, seat, via, move, at in entries.values_list("game", "seat", "via", "move", "at"):
        is_own = seat == seats[game] and via in LogEntry.OWN_WAYS and move not in LogEntry.SECRET_MOVES
        if is_own and game == before_game and before_seat != seat and before_at is not None:
            took.append(at - before_at)
        before_game, before_seat, before_at = game, seat, at
    return sorted(took)[len(took) // 2] if len(took) >= FEWEST_ANSWERS else None
