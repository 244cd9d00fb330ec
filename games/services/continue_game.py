"""Continue a game after a move: automatic moves, log entries, the position's copy, decisions and emails.

This is the only place that writes log entries.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from games.clocks.countdown_changes import give_outages_back
from games.clocks.running_clocks import pace_of
from games.models import Game, LogEntry, Seat
from games.models.glimpses import glimpse_of
from games.models.locking import seats_of
from games.rules import outcome, pending, result_json
from games.services.automatic_moves import bots_among, play_automatic_moves
from games.services.decisions import put_decisions
from games.services.game_endings import finish_table
from games.services.notifications import notify_moved
from games.services.orders import RunningOrders
from games.services.progress import Progress


def continue_game(
    game: Game, progress: Progress, now: datetime, seats: list[Seat] | None = None
) -> tuple[int, ...]:
    """Play on until a person must decide or the game ends, and store and announce what has happened.

    Call this in the transaction that holds the game's lock; `seats` are `seats_of(game)` if they have been
    read under it, once outages were given back. Returns the seats with a pending decision.
    """
    had_begun, before = game.ply > 0, game.step
    if seats is None:
        give_outages_back(game, now)  # that changes their clocks
        seats = seats_of(game)
    orders = _orders_left(game, progress, seats)
    play_automatic_moves(game, progress, bots_among(seats), orders, now)
    orders.delete_ended(progress.state)
    _append_entries(game, progress, now)
    _forgive_misses(game, seats, progress.entries)
    decisions = pending(progress.state)
    put_decisions(game, seats, decisions, now, orders.stops)
    if progress.state.is_over:
        finish_table(game, seats, now)
    elif had_begun and game.step > before:
        notify_moved(game, seats, before, _open_movers(progress.entries))
    return tuple(decision.seat for decision in decisions)


def _orders_left(game: Game, progress: Progress, seats: Iterable[Seat]) -> RunningOrders:
    """Return the game's standing orders without those that end with a move by hand, the clock or a bot."""
    orders = RunningOrders(game, progress.since)
    by_hand = [entry.seat for entry in progress.entries if entry.ply >= orders.given_at(entry.seat)]
    orders.drop([*by_hand, *bots_among(seats)])
    return orders


def _append_entries(game: Game, progress: Progress, now: datetime) -> None:
    """Store the new log entries, and copy the position to the game's columns."""
    LogEntry.objects.bulk_create(progress.entries)
    state = progress.state
    if state.step != game.step or state.ply == 0:
        game.moved_at = now  # R17: a secret answer leaves no public trace of its time
    game.ply, game.step, game.phase = state.ply, state.step, state.phase
    game.glimpse = glimpse_of(state, progress.new_events, game.glimpse)
    ended = outcome(state)
    if ended is not None:
        game.result = result_json(ended)
        game.ended_at = now
    game.save(update_fields=["ply", "step", "phase", "result", "moved_at", "ended_at", "glimpse"])


def _forgive_misses(game: Game, seats: Iterable[Seat], entries: Iterable[LogEntry]) -> None:
    """Reset the missed-turn count of players who answered themselves, unsaved: their decisions change too.

    A secret answer changes no count: players could infer the count, and it would reveal who was asked (R17).
    """
    if pace_of(game.table) is None:
        return
    own_entries = (
        entry
        for entry in entries
        if entry.via in LogEntry.OWN_WAYS and entry.move not in LogEntry.SECRET_MOVES
    )
    own = {entry.seat for entry in own_entries}
    for seat in seats:
        if seat.misses and seat.number in own:
            seat.misses = 0


def _open_movers(entries: Iterable[LogEntry]) -> set[int | None]:
    """Return the seats that moved openly, by hand and not by a standing order.

    The last player to answer in secret is not one of them. Otherwise the emails would reveal them (R17).
    """
    return {
        entry.seat
        for entry in entries
        if entry.move not in LogEntry.SECRET_MOVES and entry.via != LogEntry.Via.ORDER
    }
