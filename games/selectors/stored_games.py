"""Games with all their rows, each read at one moment, many in a few queries. Locks nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Max, Prefetch

from games.models import Game, LogEntry, Seat

MOST_AT_ONCE = 100  # games whose logs are in memory together
CHANGING = ("ply", "ended", "ended_at")  # columns that show whether a game went on
LOOKS = 5  # how often to read again a game that is played on during the read


class StoredEntry(NamedTuple):
    """A log entry as it is stored."""

    ply: int
    seat: int | None
    move: str
    decision_step: int | None
    via: str


@dataclass(frozen=True)
class Stored:
    """A game's rows, all read at one moment."""

    game: Game
    seats: Sequence[Seat]
    log: Sequence[StoredEntry]
    is_last: bool  # at its table, whose seats have its pending decisions
    earlier: Game | None  # the game before it in its match


def stored_games(pks: Sequence[int]) -> Mapping[int, Stored]:
    """Return those of these games that exist, at most `MOST_AT_ONCE`, by their numbers."""
    found: dict[int, Stored] = {}
    waiting = set(pks)
    for _look in range(LOOKS):
        read = {stored.game.pk: stored for stored in _read(waiting)}
        found = {pk: stored for pk, stored in found.items() if pk not in waiting} | read
        now = Game.objects.filter(pk__in=read).values_list("pk", *CHANGING)
        unmoved = {pk for pk, *columns in now if columns == _columns(read[pk].game)}
        waiting = read.keys() - unmoved
        if not waiting:
            break
    return found


def _columns(game: Game) -> list[object]:
    return [getattr(game, column) for column in CHANGING]


def _read(pks: Iterable[int]) -> Iterator[Stored]:
    seats = Prefetch("table__seats", Seat.objects.select_related("user").prefetch_related("user__holidays"))
    games = Game.objects.filter(pk__in=pks).select_related("table").prefetch_related(seats)
    by_game = {game.pk: game for game in games}
    logs = defaultdict[int, list[StoredEntry]](list)
    entries = LogEntry.objects.filter(game__in=by_game).order_by("game", "ply")
    for pk, *columns in entries.values_list("game", *StoredEntry._fields):
        logs[pk].append(StoredEntry(*columns))
    tables = {game.table_id for game in by_game.values()}
    last = dict(Game.objects.filter(table__in=tables).values_list("table").annotate(Max("number")))
    earlier = _earlier_games(by_game.values())
    for pk, game in by_game.items():
        yield Stored(
            game,
            list(game.table.seats.all()),
            logs[pk],
            last[game.table_id] == game.number,
            earlier.get((game.table_id, game.number - 1)),
        )


def _earlier_games(games: Iterable[Game]) -> dict[tuple[int, int], Game]:
    """Return the games of matches that have a later one among these, by table and number."""
    tables = {game.table_id for game in games if game.number > 1 and game.table.is_match}
    if not tables:
        return {}
    read = Game.objects.filter(table__in=tables).select_related("table")
    return {(game.table_id, game.number): game for game in read}
