"""Import of finished games from records: a table without a host, with the record's names on its seats.

A record is untrusted input: all of it is checked before anything is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts import clock
from accounts.names import readable_name
from games.models import Game, LogEntry, Seat, SiteName, Table
from games.models.glimpses import glimpse_of
from games.rules import (
    EndReason,
    MatchWon,
    NextGame,
    Record,
    State,
    after_game,
    does_not_follow,
    replay,
    replay_record,
    verify,
)
from games.rules.errors import quoted

LONGEST_NAME = 80
LONGEST_LOG = 20_000  # entries; a page replays them all, and a long game has some hundreds
VIAS = frozenset({"", *LogEntry.Via.values, "mail", "api", "organiser"})  # as in RECORD.md
REASONS = frozenset({None, *EndReason})
FIRST_YEAR = 1970
AHEAD = timedelta(days=1)  # how wrong another site's clock may be


class NotImported(Exception):
    """Raised for a record that cannot be stored, with a plain English reason for the command line.

    `entry` is the position in its log. `record` is the record's index, from 0, among those stored together.
    """

    def __init__(self, reason: str, entry: int | None = None, record: int = 0) -> None:
        super().__init__(reason)
        self.entry = entry
        self.record = record


class Noted(NamedTuple):
    """What a record notes with one log entry."""

    at: datetime | None
    via: str


def check_record(record: Record) -> None:
    """Raise NotImported unless the record is whole, finished and legal, and proved if it has its secret."""
    if len(record.log) > LONGEST_LOG:
        raise NotImported(f"the log has more than {LONGEST_LOG} entries")
    checked = verify(record)
    if not checked.ok:
        raise NotImported(checked.error or "", checked.entry)
    _check_end(record, replay_record(record).state)
    _names(record)
    _notes(record, clock.now())


def check_order(before: Record, record: Record) -> None:
    """Raise NotImported if the record wrongly claims to follow the one before it in their match."""
    wrong = does_not_follow(before, record)
    if wrong is not None:
        raise NotImported(wrong)


def _check_end(record: Record, state: State) -> None:
    if record.ended is None and record.result is None:
        raise NotImported("no result is stated: the game is not finished", len(record.log))
    if record.ended is None:
        return
    if state.is_over:
        raise NotImported("`ended` is stated, but the rules ended the game", len(record.log))
    if record.result is not None:
        winners, players = record.result["winners"], len(record.players)
        if winners != sorted({winner for winner in winners if winner in range(players)}):
            raise NotImported("`winners` must be seats of this game, ascending")
        if record.result["reason"] not in REASONS:
            raise NotImported(f"unknown `reason` {quoted(record.result['reason'])}")


def _names(record: Record) -> list[str]:
    """Return the players' names, cleaned like names on this site; they may be longer."""
    names = []
    for seat, name in enumerate(record.players):
        try:
            names.append(readable_name(name, LONGEST_NAME))
        except ValidationError as error:
            raise NotImported(f"the name at seat {seat}: {' '.join(error.messages)}") from None
    return names


def _notes(record: Record, now: datetime) -> list[Noted]:
    return [_noted(entry.note or {}, number, now) for number, entry in enumerate(record.log)]


def _noted(note: Any, number: int, now: datetime) -> Noted:
    for key in note:
        if key not in ("at", "via"):
            raise NotImported(f"unknown key {quoted(key)} next to the move", number)
    via = note.get("via", "")
    if not isinstance(via, str) or via not in VIAS:
        raise NotImported(f"unknown `via` {quoted(via)}", number)
    if "at" not in note:
        return Noted(None, via)
    at = _time(note["at"])
    if at is None or at > now + AHEAD:
        raise NotImported("`at` must be a time with its zone, and not in the future", number)
    return Noted(at, via)


def _time(text: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return at if at is not None and at.utcoffset() is not None and at.year >= FIRST_YEAR else None


@dataclass(frozen=True)
class TableGame:
    """The number of a record's game at its table, and the seats that play it."""

    number: int
    seats: tuple[int, ...]
    size: int
    points_before: tuple[int, ...] | None

    def spread(self, values: Sequence[Any] | None, nobody: Any = None) -> list[Any] | None:
        """Spread one value per player over the table's seats."""
        if values is None:
            return None
        given = dict(zip(self.seats, values, strict=True))
        return [given.get(seat, nobody) for seat in range(self.size)]


@transaction.atomic
def import_games(records: Sequence[Record], watch: str) -> list[Game]:
    """Store checked records at one table: a single game, or the games of one match in order.

    Either all of them have their secret or none has. Raises NotImported, and stores nothing, if one is stored
    already.
    """
    now = clock.now()
    first, names = records[0], _names(records[0])
    places = list(_places(records))
    table = Table.objects.create(
        name=SiteName("imported game" if len(records) == 1 else "imported match"),
        size=len(names),
        entry=Table.Entry.INVITATION,
        watch=watch,
        state=Table.State.FINISHED,
        options_json={"edition": first.options.edition, "variants": list(first.options.variants)},
        target=first.match.target if first.match else None,
        secret=bytes.fromhex(records[-1].secret or ""),
        chain=places[-1].number,
    )
    Seat.objects.bulk_create(
        [Seat(table=table, number=seat, name=name, confirmed_at=now) for seat, name in enumerate(names)]
    )
    games = []
    for number, (record, place) in enumerate(zip(records, places, strict=True)):
        game, entries = _rows(table, record, place, now)
        known = _known(game, entries)
        if known is not None:
            raise NotImported(f"this game is already imported, as game {known}", record=number)
        game.glimpse = _glimpse(game, entries)
        game.save()
        LogEntry.objects.bulk_create(entries)
        games.append(game)
    return games


def _places(records: Sequence[Record]) -> Iterable[TableGame]:
    """Yield each record's place; a final battle after a match uses only some of the table's seats (R28)."""
    size = len(records[0].players)
    everybody = tuple(range(size))
    number, before = 0, None
    for record in records:
        number = record.match.game if record.match else number + 1
        seats, points = everybody, record.match.points if record.match else None
        if before is not None and record.final_battle is not None:
            totals = _points_after(before)
            seats = _fighters(before, totals)
            points = totals
        yield TableGame(number, seats, size, points)
        before = record


def _points_after(record: Record) -> tuple[int, ...]:
    assert record.match is not None
    assert record.result is not None
    return tuple([had + got for had, got in zip(record.match.points, record.result["points"], strict=True)])


def _fighters(before: Record, totals: tuple[int, ...]) -> tuple[int, ...]:
    assert before.match is not None
    match = before.match
    following = after_game(match.target, match.game, totals, before.first_condottiere, [0] * len(totals))
    assert not isinstance(following, NextGame | MatchWon)
    return following.seats


def _glimpse(game: Game, entries: Sequence[LogEntry]) -> dict[str, Any]:
    """Return the glimpse of the game at its end, by the seats of the table."""
    log = [(entry.seat, entry.move) for entry in entries]
    played = replay(game.table.options, game.players, game.first_condottiere, log, game.final_battle)
    return glimpse_of(played.state, [event for ply in played.plies for event in ply.events], {})


def _rows(table: Table, record: Record, place: TableGame, now: datetime) -> tuple[Game, list[LogEntry]]:
    """Return the game and its log entries, ready to be stored."""
    played = replay_record(record)
    notes = _notes(record, now)
    times = [noted.at or now for noted in notes] or [now]
    game = Game(
        table=table,
        number=place.number,
        players=place.size,
        first_condottiere=place.seats[record.first_condottiere],
        nonces=place.spread(record.nonces, "") if record.nonces else [],
        points_before=place.points_before,
        final_battle=place.spread(record.final_battle),
        copied=[part._asdict() for part in record.copied] or None,
        ply=played.state.ply,
        step=played.state.step,
        phase=played.state.phase,
        result=_result(record, place),
        anyone_watches=table.watch == Table.Watch.ANYONE,
        started_at=min(times),
        moved_at=max(times),
        ended_at=max(times),
        ended=record.ended or "",
    )
    entries = [
        LogEntry(
            game=game,
            ply=ply,
            seat=None if entry.seat is None else place.seats[entry.seat],
            move=str(entry.move),
            decision_step=None if entry.seat is None else played.states[ply].step,
            via=noted.via,
            at=noted.at or now,
        )
        for ply, (entry, noted) in enumerate(zip(played.plies, notes, strict=True))
    ]
    return game, entries


def _result(record: Record, place: TableGame) -> dict[str, Any] | None:
    if record.result is None:
        return None
    return {**record.result, "winners": [place.seats[winner] for winner in record.result["winners"]]}


def _known(game: Game, entries: Sequence[LogEntry]) -> int | None:
    """Return the number of an imported game with the same players, setup and log, if there is one."""
    names = _names_at(game.table)
    log = [(entry.seat, entry.move) for entry in entries]
    alike = Game.objects.select_related("table").filter(
        table__host=None,
        table__practice_key=None,
        players=game.players,
        first_condottiere=game.first_condottiere,
        ply=game.ply,
    )
    for other in alike.exclude(table=game.table):
        if (
            other.table.options == game.table.options
            and other.final_battle == game.final_battle
            and _names_at(other.table) == names
            and list(other.log.values_list("seat", "move")) == log
        ):
            return other.pk
    return None


def _names_at(table: Table) -> list[str]:
    return list(table.seats.values_list("name", flat=True))
