"""Stored games with table and seats, and their logs replayed through the rules. Reads only."""

from __future__ import annotations

from functools import cache

from django.db.models import F, Model, OuterRef, Prefetch, Q, QuerySet, Subquery, prefetch_related_objects

from games.models import Game, LogEntry, Proposal, Seat, SeatChange, SharedHour, Table, TimeEvent
from games.rules import Replay, replay


class BrokenLog(Exception):
    """Raised for a stored log that the rules reject: the database was changed outside the game."""


def replayed(game: Game) -> Replay:
    """Return every position of the game and what happened at each ply, in one query. Raises BrokenLog."""
    return _played(game, game.log.all())


def replayed_for(game: Game, seat: int | None) -> Replay:
    """Return the game as far as this seat may know it, or with None the public part; in one query.

    While hands may be discarded, other players' secret answers are not even read. So a page's content and
    cost are the same whether they have come or not (R17). Raises BrokenLog.
    """
    is_open = Q(game__phase="hand", game__ended_at=None)  # read in the same statement as the log
    in_secret = is_open & Q(decision_step=F("game__step"))
    return _played(game, game.log.exclude(in_secret & ~Q(seat=-1 if seat is None else seat)))


def _played(game: Game, log: QuerySet[LogEntry]) -> Replay:
    rows = list(log.order_by("ply").values_list("ply", "seat", "move", "via"))
    entries = [(seat, move) for _ply, seat, move, _via in rows]
    game.plies_read = tuple(ply for ply, _seat, _move, _via in rows)
    game.vias = tuple(via for _ply, _seat, _move, via in rows)
    played = replay(game.table.options, game.players, game.first_condottiere, entries, game.final_battle)
    if played.error is not None:
        place, reason = played.error
        raise BrokenLog(f"game {game.pk}, ply {game.plies_read[place]}: {reason}")
    return played


# Games for pages: with table, seats and players


def games_to_show() -> QuerySet[Game]:
    """Return games with their tables and the newest rows noted with their logs."""
    return _games_to_show().all()


@cache  # building it takes longer than the database needs for it
def _games_to_show() -> QuerySet[Game]:
    later = Game.objects.filter(table=OuterRef("table")).order_by("-number")
    games = Game.objects.select_related("table")
    return games.annotate(  # type: ignore[no-redef]  # 0 in games that are read without
        newest_time_event=_newest(TimeEvent, game="pk"),
        newest_change=_newest(SeatChange, game__table="table"),
        newest_proposal=_newest(Proposal, game="pk"),
        newest_hour=_newest(SharedHour, table="table"),
        last_number=Subquery(later.values("number")[:1]),
        accepted=Subquery(Proposal.objects.filter(game=OuterRef("pk"), closed_at=None).values("accepted")),
    )


def _newest(model: type[Model], **of: str) -> Subquery:
    rows = model._default_manager.filter(**{name: OuterRef(field) for name, field in of.items()})
    return Subquery(rows.order_by("-pk").values("pk")[:1])


def game_with_roster(number: int) -> Game | None:
    """Return the game with its table and all its seats, prefetched; None if there is no such game."""
    game = games_to_show().filter(pk=number).first()
    if game is not None:
        read_roster(game.table)
    return game


def read_roster(table: Table) -> None:
    """Read the table's seats and users, so that `table.all_seats()` needs no further query."""
    prefetch_related_objects([table], Prefetch("seats", Seat.objects.select_related("user")))
