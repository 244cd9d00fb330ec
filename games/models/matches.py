"""Match state, computed from the stored results of its games. Reads only (R27 to R29).

Nothing here replays a game: a result's points show the regions that a seat held.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from games.models import Game, SeatQuerySet, Table
from games.rules import FinalBattle, MatchWon, NextGame, after_game, regions_scored


def points_after(game: Game) -> tuple[int, ...]:
    """Return each seat's points after a finished game of a match; a final battle scores none (R28)."""
    before = game.points_before or [0] * game.players
    scored = (game.result or {}).get("points") or [0] * game.players
    return tuple(had + got for had, got in zip(before, scored, strict=True))


def what_follows(game: Game) -> NextGame | FinalBattle | MatchWon:
    """Return what comes after a finished game of a match (R28, R29).

    A game that was ended by the table ends the match too: most points win (R49).
    """
    assert game.result is not None
    assert game.table.target is not None
    points = points_after(game)
    if game.final_battle is not None:
        return MatchWon(tuple(game.result["winners"]))
    if game.ended:
        won = bool(game.result["winners"])
        return MatchWon(tuple(seat for seat, score in enumerate(points) if won and score == max(points)))
    regions = regions_scored(game.result["points"], game.result["winners"], game.result["reason"])
    return after_game(game.table.target, game.number, points, game.first_condottiere, regions)


def beginning_after(game: Game) -> dict[str, Any] | None:
    """Return the columns with which the next game of a match begins; None if it was won with this one."""
    following = what_follows(game)
    if isinstance(following, MatchWon):
        return None
    first, final_battle = following.first, None
    if isinstance(following, FinalBattle):
        first = following.seats[following.first]
        held = dict(zip(following.seats, following.regions, strict=True))
        final_battle = [held.get(seat) for seat in range(game.players)]
    return {
        "first_condottiere": first,
        "points_before": list(points_after(game)),
        "final_battle": final_battle,
    }


def awaited(game: Game) -> SeatQuerySet:
    """Return the seats of people who have not confirmed yet that they saw this finished game.

    Seats that a bot plays are left out. Before a final battle, so are players who do not fight in it (R28).
    """
    seats = game.table.seats.people().filter(ready_for__lte=game.number, played_by_bot="")
    return seats.filter(number__in=fighters_after(game))


def fighters_after(game: Game) -> tuple[int, ...]:
    """Return the seats that play after a finished game of a match: all, or those of a final battle."""
    following = what_follows(game)
    return following.seats if isinstance(following, FinalBattle) else tuple(range(game.players))


def winners_of_match(table: Table, games: Sequence[Game]) -> tuple[int, ...] | None:
    """Return the seats that won the match; None while it goes on, and if the table plays no match."""
    if not table.is_match or table.state != Table.State.FINISHED or not games:
        return None
    after = what_follows(games[-1])
    return after.winners if isinstance(after, MatchWon) else None


def ends_match(game: Game) -> bool:
    """Return whether a match was over with this game."""
    return game.is_over and isinstance(what_follows(game), MatchWon)


def last_game(table: Table) -> Game | None:
    """Return the table's current game, or the last one played."""
    return Game.objects.select_related("table").filter(table=table).order_by("number").last()
