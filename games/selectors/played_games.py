"""The finished games that a person played from their start to their end, and who else did."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from accounts.models import User
from games.models import Game, Seat, SeatChange
from games.selectors.counted_tables import counted_games

MOST_GAMES = 1000
_COLUMNS = (
    "number", "players", "final_battle", "result", "started_at", "ended_at", "glimpse", "table__options_json",
)  # fmt: skip


@dataclass(frozen=True)
class PlayedGame:
    """A finished game, and by person the seats that people held from its start to its end."""

    game: Game
    seats: Mapping[int, int]

    @property
    def edition(self) -> str:
        return self.game.table.options.edition

    @property
    def winners(self) -> frozenset[int]:
        """The seats that won; empty if no one did."""
        return frozenset((self.game.result or {}).get("winners", ()))

    @property
    def is_scored(self) -> bool:
        """Whether it has winners and is no final battle, which only decides a match."""
        return bool(self.winners) and self.game.final_battle is None

    @property
    def regions(self) -> Counter[int] | None:
        """How many regions each seat held at the end; None if that was not noted."""
        glimpse = self.game.glimpse
        return Counter(glimpse["control"].values()) if glimpse else None

    def has_won(self, person: int) -> bool:
        return self.seats[person] in self.winners


class _Change(NamedTuple):
    """A seat that changed hands."""

    seat: int
    before: int | None
    at: datetime


def played_games(person: User, reader: User | None) -> list[PlayedGame]:
    """Return the latest finished games that the person played whole and the reader may know.

    The latest comes first. It takes three queries.
    """
    found = counted_games(person, reader).select_related("table")
    games = list(found.only(*_COLUMNS)[:MOST_GAMES])
    tables = {game.table_id for game in games}
    seated, changes = _people_at(tables), _changes_at(tables)
    played = [
        PlayedGame(game, _stayed(game, seated[game.table_id], changes[game.table_id])) for game in games
    ]
    return [one for one in played if person.pk in one.seats]


def _stayed(game: Game, seated: Mapping[int, int], changes: Iterable[_Change]) -> dict[int, int]:
    """Return the seats of the people who held one throughout a game, given who holds each now."""
    assert game.ended_at is not None
    held = dict(seated)
    for change in changes:  # the last one first
        if change.at < game.started_at:
            break
        held.pop(change.seat, None)
        if change.at > game.ended_at and change.before is not None:
            held[change.seat] = change.before
    return {person: seat for seat, person in held.items()}


def _people_at(tables: Iterable[int]) -> Mapping[int, Mapping[int, int]]:
    """Return the person in each seat of these tables, by table and seat."""
    found = defaultdict[int, dict[int, int]](dict)
    seats = Seat.objects.filter(table__in=tables, user__isnull=False).order_by()
    for table, number, user in seats.values_list("table", "number", "user"):
        found[table][number] = user or 0
    return found


def _changes_at(tables: Iterable[int]) -> Mapping[int, list[_Change]]:
    """Return the changes of seats at these tables, the last one first."""
    found = defaultdict[int, list[_Change]](list)
    changes = SeatChange.objects.filter(game__table__in=tables).order_by("-at", "-pk")
    for table, seat, before, at in changes.values_list("game__table", "seat", "before", "at"):
        found[table].append(_Change(seat, before, at))
    return found
