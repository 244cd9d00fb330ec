"""Start a game at a table once everyone has agreed. Call these under the table's lock."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from accounts import clock
from accounts.mail.outbox import queue_each
from games.clocks.running_clocks import pace_of
from games.models import Game, LogEntry, Seat, Table
from games.rules import Phase, drawn_seats, first_condottiere, game_key, nonce_from_secret, parse_move
from games.services.continue_game import continue_game
from games.services.first_games import mark_first_games
from games.services.progress import Progress

# These columns belong to the seat's occupant, not to the seat. No others have been written yet.
OCCUPANT_COLUMNS = ("user", "bot", "nonce", "taken_at", "confirmed_at")


def start_game(table: Table) -> Game:
    """Number the seats, fix the key, draw the first Condottiere (R2), shuffle, deal and ask the first player.

    At an anonymous table the seats are drawn at random first.
    """
    seats, secret = _number_seats(table), table.secret_of(1)
    if table.is_anonymous:
        _draw_seats(seats, secret)
    table.state = Table.State.PLAYING
    table.save(update_fields=["state"])
    nonces = [_nonce(seat, secret) for seat in seats]
    mark_first_games(table)
    first = first_condottiere(game_key(secret, nonces), len(seats))
    return begin_game(table, first_condottiere=first, nonces=[nonce.hex() for nonce in nonces])


def begin_set_game(table: Table, first: int) -> Game:
    """Start a game with fixed seats and `first` as first Condottiere; nothing is drawn."""
    nonces = _seat_players(table)
    mark_first_games(table)
    return begin_game(table, first_condottiere=first, nonces=nonces, is_first_set=True)


def begin_copied_game(table: Table, entries: Iterable[LogEntry], **setup: Any) -> Game:
    """Start a game with fixed seats that plays on from another's first entries. It is no one's first game."""
    return begin_game(table, entries, nonces=_seat_players(table), is_first_set=True, **setup)


def _seat_players(table: Table) -> list[str]:
    """Close the table to other players; return the nonces of its seats, which stay as they are."""
    seats, secret = _number_seats(table), table.secret_of(1)
    table.state = Table.State.PLAYING
    table.save(update_fields=["state"])
    return [_nonce(seat, secret).hex() for seat in seats]


def begin_game(table: Table, entries: Iterable[LogEntry] = (), **setup: Any) -> Game:
    """Store a game that begins now, shuffle, deal and ask the first player; tell the others.

    `setup` holds the game's columns. Its log begins with copies of these `entries` of another.
    """
    seats = list(table.seats.select_related("user").order_by("number"))
    now = clock.now()
    game = Game.objects.create(
        table=table,
        players=len(seats),
        phase=Phase.SHUFFLE,
        started_at=now,
        moved_at=now,
        anyone_watches=table.watch == Table.Watch.ANYONE,
        **setup,
    )
    _fill_reserves(table)
    progress = Progress.of(game)
    for entry in entries:
        how = {"decision_step": entry.decision_step, "chosen_by": entry.chosen_by}
        progress.play(game, entry.seat, parse_move(entry.move), entry.at, **how)
    asked = continue_game(game, progress, now)
    others = {
        f"started:{game.pk}:{seat.number}": seat.user
        for seat in seats
        if seat.user is not None and seat.number not in asked
    }
    queue_each("started", others, {"game": game.pk})
    return game


def _fill_reserves(table: Table) -> None:
    """Refill every reserve, as each game of a match does; players absent in the last game stay absent."""
    pace = pace_of(table)
    if pace is not None:
        table.seats.filter(user__isnull=False).update(reserve=pace.reserve)


def _nonce(seat: Seat, secret: bytes) -> bytes:
    """Return the seat's part in every shuffle, from its player's own words or else the table's secret."""
    return bytes.fromhex(seat.nonce) or nonce_from_secret(secret, seat.number)


def _number_seats(table: Table) -> list[Seat]:
    """Close the gaps left by players who have gone; the order stays."""
    seats = list(table.seats.select_related("user").order_by("number"))
    for number, seat in enumerate(seats):
        if seat.number != number:
            seat.number = number
            seat.save(update_fields=["number"])
    return seats


def _draw_seats(seats: list[Seat], secret: bytes) -> None:
    """Draw the seats at random (RECORD.md), so neither number nor row reveals who sat down when."""
    drawn = drawn_seats(secret, [bytes.fromhex(seat.nonce) for seat in seats])
    occupants = [{name: getattr(seat, name) for name in OCCUPANT_COLUMNS} for seat in seats]
    # So that no one sits twice in between.
    Seat.objects.filter(table=seats[0].table_id).update(user=None, bot="")
    for seat, lot in zip(seats, drawn, strict=True):
        for name, value in occupants[lot].items():
            setattr(seat, name, value)
    Seat.objects.bulk_update(seats, OCCUPANT_COLUMNS)
