"""Finished games of a few people by the hundred, copied from one that was played: no rule is asked again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from accounts.models import User
from games.models import Game, LogEntry, Seat, Table
from games.models.tables import new_join_key
from tests.games.playing import begin_game, play_to_the_end


def played(people: Sequence[User], **settings: Any) -> Game:
    """Return a game that these people have played to its end."""
    game = begin_game(people, **settings)
    play_to_the_end(game)
    return game


def repeat(game: Game, count: int, day: timedelta = timedelta(days=1)) -> list[Game]:
    """Return as many more games like this one, each a day later than the one before."""
    table, log = game.table, list(game.log.all())
    seats = list(Seat.objects.filter(table=table))
    tables = Table.objects.bulk_create([_new_table(table) for _ in range(count)])
    Seat.objects.bulk_create([_copy(seat, table=one) for one in tables for seat in seats])
    games = Game.objects.bulk_create(
        [_copy(game, table=one, **_later(game, number * day)) for number, one in enumerate(tables, 1)]
    )
    LogEntry.objects.bulk_create([_copy(entry, game=one) for one in games for entry in log])
    return games


def _later(game: Game, time: timedelta) -> dict[str, datetime]:
    assert game.ended_at is not None
    return {
        "started_at": game.started_at + time,
        "moved_at": game.moved_at + time,
        "ended_at": game.ended_at + time,
    }


def _new_table(table: Table) -> Table:
    keys = {"form_key": uuid4(), "join_key": new_join_key(), "watch_key": new_join_key()}
    return _copy(Table.objects.get(pk=table.pk), **keys)


def _copy(row: Any, **changes: Any) -> Any:
    """Return an unsaved copy of a row with these changes."""
    columns = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not field.primary_key
    }
    made = type(row)(**columns)
    for name, value in changes.items():
        setattr(made, name, value)
    return made
