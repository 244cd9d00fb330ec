"""A game as its pages need it: with its table, the seats and who sits there."""

from __future__ import annotations

from django.db.models import Model, OuterRef, Prefetch, QuerySet, Subquery, prefetch_related_objects

from games.models import Game, Proposal, Seat, SeatChange, Table, TimeEvent


def games_to_show() -> QuerySet[Game]:
    """Games with their tables, and with the newest of what is noted beside their logs."""
    later = Game.objects.filter(table=OuterRef("table")).order_by("-number")
    games = Game.objects.select_related("table")
    return games.annotate(  # type: ignore[no-redef]  # 0 in games that are read without
        newest_time_event=_newest(TimeEvent, game="pk"),
        newest_change=_newest(SeatChange, game__table="table"),
        newest_proposal=_newest(Proposal, game="pk"),
        last_number=Subquery(later.values("number")[:1]),
    )


def _newest(model: type[Model], **of: str) -> Subquery:
    rows = model._default_manager.filter(**{name: OuterRef(field) for name, field in of.items()})
    return Subquery(rows.order_by("-pk").values("pk")[:1])


def game_with_company(number: int) -> Game | None:
    """The game with its table and all its seats, prefetched; None where there is no such game."""
    game = games_to_show().filter(pk=number).first()
    if game is not None:
        read_company(game.table)
    return game


def read_company(table: Table) -> None:
    """Reads the table's seats and who sits there; `table.all_seats()` asks no more."""
    prefetch_related_objects([table], Prefetch("seats", Seat.objects.select_related("user")))
