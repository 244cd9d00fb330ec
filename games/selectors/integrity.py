"""Integrity check: replay stored games and report where columns differ from the log. Read only.

A difference in a running game names an entry and a reason, but no card, seat or secret.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from games.clocks.countdowns import countdown_of
from games.clocks.counted_hours import HIDDEN, hours_of
from games.clocks.running_clocks import runs_clock
from games.models import Game, LogEntry, Seat
from games.models.glimpses import glimpse_of
from games.models.matches import beginning_after
from games.rules import (
    Event,
    IllegalMove,
    InvalidMove,
    Move,
    Phase,
    State,
    UnknownOption,
    apply,
    drawn_by_clock,
    first_condottiere,
    legal_moves,
    outcome,
    parse_move,
    pending,
    replay,
    result_json,
    shuffled,
)
from games.selectors.stored_games import Stored, StoredEntry, stored_games


class Difference(NamedTuple):
    """One difference from the log, with the entry if it concerns one."""

    ply: int | None
    what: str


def differences(pk: int) -> list[Difference] | None:
    """Return what is wrong with one game, or None if there is no such game."""
    return differences_of([pk]).get(pk)


def differences_of(pks: Sequence[int]) -> dict[int, list[Difference]]:
    """Return what is wrong with each of these games that exists.

    Reads in a few short queries and locks nothing, so players do not have to wait.
    """
    return {pk: _checked(stored) for pk, stored in stored_games(pks).items()}


def _checked(stored: Stored) -> list[Difference]:
    try:
        return list(_differences(stored))
    except (UnknownOption, ValueError, TypeError, LookupError, AttributeError) as unreadable:
        return [Difference(None, f"the setup cannot be read ({type(unreadable).__name__})")]


def _differences(stored: Stored) -> Iterator[Difference]:
    game = stored.game
    start = replay(game.table.options, game.players, game.first_condottiere, [], game.final_battle).state
    key = game.key if game.table.secret else None
    if key is not None:
        yield from _first_condottiere(game, key)
    yield from _beginning(game, stored.earlier)
    player = _Player(start, key, game.copied_entries)
    for line in stored.log:
        yield from player.play(line)
        if player.stopped:
            return
    yield from _columns(game, player.state)
    if game.glimpse != json.loads(json.dumps(glimpse_of(player.state, player.events, {}))):
        yield Difference(player.state.ply, "the glimpse is not the one the log leads to")
    yield from _open_decisions(stored, player.state)


def _first_condottiere(game: Game, key: bytes) -> Iterator[Difference]:
    """Check the drawn first Condottiere (R2); after a match's first game none is drawn (R29)."""
    is_drawn = game.number == 1 and game.final_battle is None and not (game.is_first_set or game.copied)
    if game.table.is_imported or not is_drawn:
        return
    if first_condottiere(key, game.players) != game.first_condottiere:
        yield Difference(None, "the first Condottiere is not the one that was drawn")


def _beginning(game: Game, earlier: Game | None) -> Iterator[Difference]:
    """Check that a later game of a match begins as the result of the one before leads to (R28, R29)."""
    if earlier is None or not earlier.is_over:
        return
    follows = beginning_after(earlier)
    if follows is None or any(getattr(game, column) != value for column, value in follows.items()):
        yield Difference(None, "it does not begin as the game before it leads to")


class _Player:
    """Replays a log entry by entry, until an entry cannot be played.

    What the site drew in the first `copied` entries follows from another game's key.
    """

    def __init__(self, start: State, key: bytes | None, copied: int) -> None:
        self.state, self.key, self.copied = start, key, copied
        self.events: list[Event] = []
        self.stopped = False

    def play(self, line: StoredEntry) -> Iterator[Difference]:
        before = self.state
        if line.ply != before.ply:
            self.stopped = True
            yield Difference(before.ply, "the entry is missing from the log")
            return
        try:
            move = parse_move(line.move)
            self.state, events = apply(before, line.seat, move)
        except InvalidMove:
            self.stopped = True
            yield Difference(line.ply, "the move cannot be read")
            return
        except IllegalMove as illegal:
            self.stopped = True
            yield Difference(line.ply, illegal.reason.value)
            return
        self.events += events
        yield from self._entry_differences(line, before, move)

    def _entry_differences(self, line: StoredEntry, before: State, move: Move) -> Iterator[Difference]:
        if line.decision_step is not None and (line.seat is None or line.decision_step != before.step):
            yield Difference(line.ply, "decision_step is not when that was asked")
        if line.ply < self.copied:
            return
        if (
            line.seat is None
            and self.key is not None
            and move.cards != shuffled(self.key, before.shuffles, before.shuffle_pile)
        ):
            self.key = None  # one difference is enough
            yield Difference(line.ply, "the shuffle is not the one that the secret makes")
        if line.via == LogEntry.Via.CLOCK and self.key is not None and not _is_drawn(line, before, self.key):
            yield Difference(line.ply, "the clock's region is not the one that the secret draws")


def _is_drawn(line: StoredEntry, before: State, key: bytes) -> bool:
    """Return whether a region chosen by the clock is the one to draw (RECORD.md); True for other moves."""
    if before.phase != Phase.PLACE or line.seat is None:
        return True
    regions = legal_moves(before, line.seat)
    return line.move == str(regions[drawn_by_clock(key, line.ply, len(regions))])


def _columns(game: Game, state: State) -> Iterator[Difference]:
    """Check the game's own row. If the table ended the game, its result is not in the log (R49)."""
    for name, said, true in (
        ("ply", game.ply, state.ply),
        ("step", game.step, state.step),
        ("phase", game.phase, state.phase),
    ):
        if said != true:
            yield Difference(state.ply, f"{name} is {said}, and {true} by the log")
    ended = outcome(state)
    if game.ended and ended is not None:
        yield Difference(state.ply, "`ended` is set, but the rules ended the game")
    elif not game.ended and game.result != (None if ended is None else result_json(ended)):
        yield Difference(state.ply, "the result is not the one the log leads to")
    is_over = ended is not None or bool(game.ended)
    if is_over != (game.ended_at is not None):
        wrong = "not set, but the game is over" if is_over else "set, but the game runs"
        yield Difference(state.ply, f"ended_at is {wrong}")


def _open_decisions(stored: Stored, state: State) -> Iterator[Difference]:
    """Check the pending decisions on the seats' rows. No seat is named: that could reveal a hand (R17)."""
    if not stored.is_last:
        return
    asked = () if stored.game.ended else pending(state)
    true = {decision.seat: (decision.kind, decision.decision_step) for decision in asked}
    if any(
        _noted_decision(seat) != (None if _answers_at_once(seat) else true.get(seat.number))
        for seat in stored.seats
    ):
        yield Difference(state.ply, "the seats are not asked what the log leads to")
    elif not all(_is_counted_right(seat, stored) for seat in stored.seats):
        yield Difference(state.ply, "a deadline is not what its countdown and calendar lead to")


def _answers_at_once(seat: Seat) -> bool:
    """Return whether a bot plays here that does not think."""
    return bool(seat.played_by) and seat.bot != Seat.Bot.STRATEGIST


def _noted_decision(seat: Seat) -> tuple[str | None, int | None] | str | None:
    columns = (seat.pending_decision, seat.decision_step, seat.asked_since)
    if all(column is None for column in columns):
        return None
    return "half a decision" if None in columns else columns[:2]


def _is_counted_right(seat: Seat, stored: Stored) -> bool:
    """Return whether a seat's clock columns are set exactly when a clock runs, with the right deadline.

    The deadline of a secret decision may be later: it waits for others too, who may have left since (R17).
    """
    game, table = stored.game, stored.game.table
    countdown = countdown_of(seat)
    is_counted = countdown is not None and seat.due_at is not None
    if is_counted != (seat.decision_step is not None and runs_clock(seat, table, stored.seats)):
        return False
    if countdown is None or seat.due_at is None:
        return not any((seat.counted_from, seat.time_left, seat.due_at, seat.remind_at))
    own = countdown.due_at(hours_of(seat.person, table, game))
    if seat.was_put_off:  # it may keep its deadline from before other hours (calendars.py)
        return seat.due_at >= own or seat.pending_decision == HIDDEN
    return seat.due_at >= own if seat.pending_decision == HIDDEN else seat.due_at == own
