"""How a match stands: computed from the stored results of its games. Reads only (R27 to R29).

Nothing here replays a game: a result's points tell the regions that a seat held.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.models import Game, SeatQuerySet, Table
from games.rules import FinalBattle, MatchWon, NextGame, after_game, regions_scored


def points_after(game: Game) -> tuple[int, ...]:
    """Each seat's points after a finished game of a match; a final battle scores none (R28)."""
    before = game.points_before or [0] * game.players
    scored = (game.result or {}).get("points") or [0] * game.players
    return tuple(had + got for had, got in zip(before, scored, strict=True))


def what_follows(game: Game) -> NextGame | FinalBattle | MatchWon:
    """What comes after a finished game of a match (R28, R29). A game that the table ended ends the match with
    it: most points win (R49)."""
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


def awaited(game: Game) -> SeatQuerySet:
    """The people who have not said yet that they have seen this finished game, after which another follows;
    not those for whom a bot plays.

    Before a final battle those who will only look on are asked nothing (R28).
    """
    seats = game.table.seats.people().filter(ready_for__lte=game.number, played_by_bot="")
    return seats.filter(number__in=fighters_after(game))


def fighters_after(game: Game) -> tuple[int, ...]:
    """The seats that play in what follows a finished game of a match: all, or those of a final battle."""
    following = what_follows(game)
    return following.seats if isinstance(following, FinalBattle) else tuple(range(game.players))


def winners_of_match(table: Table, games: Sequence[Game]) -> tuple[int, ...] | None:
    """The seats that have won the match of these games; None while it goes on, and at tables with none."""
    if not table.is_match or table.state != Table.State.FINISHED or not games:
        return None
    after = what_follows(games[-1])
    return after.winners if isinstance(after, MatchWon) else None


def ends_match(game: Game) -> bool:
    """Whether a match was over with this game."""
    return game.is_over and isinstance(what_follows(game), MatchWon)


def last_game(table: Table) -> Game | None:
    """The game that is played at a table, or was played last."""
    return Game.objects.select_related("table").filter(table=table).order_by("number").last()
