"""Logs of stored games, replayed through the rules. Reads only."""

from __future__ import annotations

from django.db.models import F, Q, QuerySet

from games.models import Game, LogEntry
from games.rules import Phase, Replay, replay


class BrokenLog(Exception):
    """Raised for a stored log that the rules reject: the database was changed outside the game."""


def replayed(game: Game) -> Replay:
    """Return every position of the game and what happened at each ply, in one query. Raises BrokenLog."""
    return _replay_log(game, game.log.all())


def replayed_for(game: Game, seat: int | None) -> Replay:
    """Return the game as far as this seat may know it, or with None the public part; in one query.

    While hands may be discarded, other players' secret answers are not even read. So a page's content and
    cost are the same whether they have come or not (R17). Raises BrokenLog.
    """
    is_open = Q(game__phase=Phase.HAND, game__ended_at=None)  # read in the same statement as the log
    in_secret = is_open & Q(decision_step=F("game__step"))
    return _replay_log(game, game.log.exclude(in_secret & ~Q(seat=-1 if seat is None else seat)))


def _replay_log(game: Game, log: QuerySet[LogEntry]) -> Replay:
    rows = sorted(log.order_by().values_list("ply", "seat", "move", "via", "chosen_by"))
    entries = [(seat, move) for _ply, seat, move, *_how in rows]
    game.plies_read = tuple(ply for ply, *_entry in rows)
    game.vias = tuple(via for *_entry, via, _chosen_by in rows)
    game.choosers = tuple(chosen_by for *_entry, chosen_by in rows)
    played = replay(game.table.options, game.players, game.first_condottiere, entries, game.final_battle)
    if played.error is not None:
        place, reason = played.error
        raise BrokenLog(f"game {game.pk}, ply {game.plies_read[place]}: {reason}")
    return played
