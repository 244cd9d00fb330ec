"""Somebody's running and finished games, as rows of values."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from accounts.composed import rows
from accounts.models import User
from accounts.names import shown_name
from games.models import Game, Table
from games.names import shown_names
from games.overview.statements import UNREAD, Span, composed, instant, instant_or_none
from games.rules import events as happened
from games.telling.endings import told_ending
from games.telling.narration import and_list, narrate
from games.telling.told_times import time_since

_ONES = """
SELECT * FROM (
  SELECT game.*, {is_over} AS is_over
  FROM games_game AS game JOIN games_seat AS mine ON mine.table_id = game.table_id
  WHERE mine.user_id = %(reader)s AND {condition}
  ORDER BY game.{latest} DESC, game.id DESC LIMIT %({name}_length)s OFFSET %({name}_start)s
) AS {name}
"""
# A row for each seat, in the order of the list and of the seats. Instants are told with the first of them.
_LISTED = composed(
    """
WITH game AS ({running} UNION ALL {finished})
SELECT game.id, board.name, game.number, board.target, game.final_battle IS NOT NULL, game.phase, game.ended,
  CAST(game.result AS text), CASE seat.number WHEN 0 THEN game.ended_at END,
  CASE seat.number WHEN 0 THEN game.moved_at END, {unread},
  seat.asked_kind, seat.number, seat.bot, seat.name, seat.user_id IS NOT NULL, person.name,
  person.deleted_at IS NOT NULL, board.is_anonymous, board.state
FROM game JOIN games_table AS board ON board.id = game.table_id
JOIN games_seat AS seat ON seat.table_id = board.id
LEFT JOIN accounts_user AS person ON person.id = seat.user_id
ORDER BY game.is_over, COALESCE(game.ended_at, game.moved_at) DESC, game.id DESC, seat.number
""",
    running=composed(
        _ONES,
        name="running",
        is_over="0",
        latest="moved_at",
        condition="game.ended_at IS NULL AND mine.asked_since IS NULL",
    ),
    finished=composed(
        _ONES, name="finished", is_over="1", latest="ended_at", condition="game.ended_at IS NOT NULL"
    ),
    unread=UNREAD,
)


class Known(NamedTuple):
    """A person as others may know him."""

    shown_name: str


class Place(NamedTuple):
    """What a seat's name is made from."""

    number: int
    user: Known | None
    bot: str
    name: str
    veil: str


class GameRow(NamedTuple):
    """One game of somebody's, and all from which it is told how it stands."""

    pk: int
    table: str
    number: int
    target: int | None
    is_final_battle: bool
    phase: str
    ended: str
    result: str | None  # as it is stored
    ended_at: datetime | None
    last_move: str  # how long ago that was
    unread: int
    names: tuple[str, ...]
    asked: tuple[str | None, ...]  # what each seat is asked

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None

    @property
    def waits_for(self) -> str:
        """Who is asked, as far as the table may know."""
        if self.phase == "hand":
            return _("hands may be discarded; who is asked stays secret")
        asked = [
            name
            for name, kind in zip(self.names, self.asked, strict=True)
            if kind not in (None, "hand")  # also if the phase was read a moment before the seats
        ]
        return _("waits for %(names)s") % {"names": and_list(asked)} if asked else ""

    @property
    def told_result(self) -> str:
        """Who won and how."""
        result = json.loads(self.result) if self.result else None
        if self.ended:
            return told_ending(Game(ended=self.ended, result=result), self.names)
        if not result:
            return ""
        points = result.get("points")
        ended = happened.GameEnded(tuple(result["winners"]), result["reason"], points and tuple(points))
        return narrate([ended], self.names)[0]


def listed_games(reader: User, running: Span, finished: Span) -> tuple[list[GameRow], list[GameRow]]:
    """The reader's running games that ask him nothing, the latest moved first, and his finished ones, the
    latest first. In one query."""
    found = rows(
        _LISTED,
        reader=reader.pk,
        running_start=running.start,
        running_length=running.length,
        finished_start=finished.start,
        finished_length=finished.length,
    )
    listed = [_row(list(seats), reader) for _game, seats in groupby(found, key=lambda row: row[0])]
    return [row for row in listed if not row.is_over], [row for row in listed if row.is_over]


def _row(seats: list[tuple[Any, ...]], reader: User) -> GameRow:
    """One game from the rows of its seats."""
    pk, table, number, target, is_final, phase, ended, result, ended_at, moved_at, unread = seats[0][:11]
    return GameRow(
        pk,
        table,
        number,
        target,
        bool(is_final),
        phase,
        ended,
        result,
        instant_or_none(ended_at),
        "" if ended_at else time_since(instant(moved_at)),
        unread,
        shown_names(_places(seat[12:] for seat in seats), reader),
        tuple(seat[11] for seat in seats),
    )


def _places(seats: Iterable[tuple[Any, ...]]) -> list[Place]:
    return [
        Place(
            number,
            Known(shown_name(called, is_deleted=bool(is_deleted))) if is_person else None,
            bot,
            name,
            Table.veil_of(state, is_anonymous=is_anonymous),
        )
        for number, bot, name, is_person, called, is_deleted, is_anonymous, state in seats
    ]
