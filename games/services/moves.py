"""Submit a move: lock, check, apply, append, set the clock and queue the emails, in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import prefetch_related_objects

from accounts import clock
from accounts.mail.outbox import queue
from games.bots import choose
from games.clocks.countdown_changes import give_outages_back
from games.clocks.countdowns import (
    COUNTDOWN_COLUMNS,
    are_calendars_read,
    clear_countdown,
    pace_of,
    runs_clock,
    start_countdown,
    stop_countdown,
)
from games.models import Game, LogEntry, Seat, Table
from games.models.glimpses import glimpse_of
from games.models.locking import locked_for, seats_of
from games.models.matches import what_follows
from games.models.replay import replayed
from games.orders import Order, Stop
from games.rules import (
    Decision,
    EndReason,
    Event,
    MatchWon,
    Move,
    Phase,
    State,
    apply,
    observe,
    outcome,
    parse_move,
    pending,
    result_json,
    shuffled,
)
from games.services.notifications import notify_asked, notify_moved
from games.services.orders import RunningOrders, store_order

QUESTION_COLUMNS = ("pending_decision", "decision_step", "asked_since", "order_stop", *COUNTDOWN_COLUMNS)
NO_STOPS: Mapping[int, Stop] = {}


def ask(
    game: Game,
    seats: list[Seat],
    decisions: Collection[Decision],
    now: datetime,
    stops: Mapping[int, Stop] = NO_STOPS,
) -> None:
    """Store the pending decisions, start their clocks, and queue an email to each newly asked player.

    `seats` are all of the table's seats, in the order of locking.py. `stops` are, by seat, why a standing
    order asks.
    """
    asked = {decision.seat: decision for decision in decisions}
    answering = [seat for seat in seats if not seat.bot]
    if are_calendars_read(game.table):
        prefetch_related_objects([seat.user for seat in answering if seat.user], "holidays")
    for seat in answering:
        decision = asked.get(seat.number)
        if decision is not None and (seat.pending_decision, seat.decision_step) == (
            decision.kind,
            decision.decision_step,
        ):
            _stop_clock_if_nobody_waits(game, seat, answering)
        elif decision is not None or seat.asked_since is not None:
            _store_decision(game, seat, decision, answering, now, stops.get(seat.number))


def _store_decision(
    game: Game, seat: Seat, decision: Decision | None, seats: list[Seat], now: datetime, stop: Stop | None
) -> None:
    """Close the seat's decision and its clock; store the next one, if any, and start its clock."""
    clear_decision(game, seat, now)
    if decision is not None:
        seat.pending_decision, seat.decision_step, seat.asked_since = (
            decision.kind,
            decision.decision_step,
            now,
        )
        seat.order_stop = stop
        start_countdown(seat, game.table, game, seats, now)
    seat.save(update_fields=QUESTION_COLUMNS)
    if decision is not None:
        notify_asked(game, seat, decision.decision_step)


def clear_decision(game: Game, seat: Seat, now: datetime) -> None:
    """Clear the pending decision on the seat's row, unsaved; used reserve is not given back."""
    stop_countdown(seat, game.table, game, now)
    seat.pending_decision = seat.decision_step = seat.asked_since = seat.order_stop = None


def _stop_clock_if_nobody_waits(game: Game, seat: Seat, seats: list[Seat]) -> None:
    """Stop the clock of a pending decision when no other person is left to wait for the answer."""
    if seat.due_at is not None and not runs_clock(seat, game.table, seats):
        clear_countdown(seat)
        seat.save(update_fields=QUESTION_COLUMNS)


# Bot answers. A bot sees only its own seat's observation.


def bots_among(seats: Iterable[Seat]) -> dict[int, str]:
    """Return the strengths of bots by seat, for bot seats and for absent players."""
    return {seat.number: seat.played_by for seat in seats if seat.played_by}


def next_answer(
    state: State, bots: dict[int, str], orders: RunningOrders
) -> tuple[Decision, Move, LogEntry.Via] | None:
    """Return the answer of the first bot or standing order with a pending decision, or None."""
    for decision in pending(state):
        if decision.seat in bots:
            move = choose(bots[decision.seat], observe(state, decision.seat))
            return decision, move, LogEntry.Via.BOT
        ordered = orders.answer(state, decision.seat)
        if ordered is not None:
            return decision, ordered, LogEntry.Via.ORDER
    return None


# Log entries. This is the only place that writes entries, copies the position and queues the emails.


OWN_WAYS = (LogEntry.Via.WEB, LogEntry.Via.LINK, LogEntry.Via.EMAIL)
OWN_TURNS = (*OWN_WAYS, LogEntry.Via.ORDER)  # an order is its player's answer, but no proof of their presence
SECRET_ANSWERS = ("discard hand", "keep hand")


@dataclass
class Progress:
    """A position, and the log entries that led to it and are not stored yet."""

    state: State
    entries: list[LogEntry] = field(default_factory=list)
    events: dict[int, tuple[Event, ...]] = field(default_factory=dict)  # by ply, unredacted

    @classmethod
    def of(cls, game: Game) -> Progress:
        """Return the game's position as its log tells it. Raises BrokenLog."""
        played = replayed(game)
        return cls(played.state, events=dict(enumerate([entry.events for entry in played.plies])))

    def since(self, ply: int) -> list[Event]:
        """Return what has happened from this log entry on."""
        return [event for at in range(ply, self.state.ply) for event in self.events.get(at, ())]

    @property
    def new_events(self) -> list[Event]:
        """What has happened since the stored log."""
        return self.since(self.entries[0].ply) if self.entries else []

    def play(self, game: Game, seat: int | None, move: Move, at: datetime, **how: object) -> None:
        """Apply one move and add its entry. Raises IllegalMove, and then adds nothing."""
        ply = self.state.ply
        self.state, self.events[ply] = apply(self.state, seat, move)
        self.entries.append(LogEntry(game=game, ply=ply, seat=seat, move=str(move), at=at, **how))


def append_entries(game: Game, progress: Progress, now: datetime) -> tuple[int, ...]:
    """Play on until a person must decide, store the entries, copy the position, and queue the emails.

    Call this in the transaction that holds the game's lock. Returns the seats with a pending decision.
    """
    had_begun, before = game.ply > 0, game.step
    give_outages_back(game, now)
    seats = seats_of(game)
    orders = _orders_left(game, progress, seats)
    play_on(game, progress, bots_among(seats), orders, now)
    orders.delete_ended(progress.state)
    LogEntry.objects.bulk_create(progress.entries)
    _forgive_misses(game, seats, progress.entries)
    _copy_position(game, progress, now)
    ask(game, seats, pending(progress.state), now, orders.stops)
    if progress.state.is_over:
        _finish_table(game, seats, now)
    elif had_begun and game.step > before:
        notify_moved(game, seats, before, _open_movers(progress.entries))
    return tuple(decision.seat for decision in pending(progress.state))


def _orders_left(game: Game, progress: Progress, seats: Iterable[Seat]) -> RunningOrders:
    """Return the game's standing orders without those that end with a move by hand, the clock or a bot."""
    orders = RunningOrders(game, progress.since)
    by_hand = [entry.seat for entry in progress.entries if entry.ply >= orders.given_at(entry.seat)]
    orders.drop([*by_hand, *bots_among(seats)])
    return orders


def _open_movers(entries: Iterable[LogEntry]) -> set[int | None]:
    """Return the seats that moved openly, by hand and not by a standing order.

    The last player to answer in secret is not one of them. Otherwise the emails would reveal them (R17).
    """
    return {
        entry.seat
        for entry in entries
        if entry.move not in SECRET_ANSWERS and entry.via != LogEntry.Via.ORDER
    }


def _forgive_misses(game: Game, seats: Iterable[Seat], entries: Iterable[LogEntry]) -> None:
    """Reset the missed-turn count of players who answered themselves.

    A secret answer changes no count: players could infer the count, and it would reveal who was asked (R17).
    """
    if pace_of(game.table) is None:
        return
    own_entries = (entry for entry in entries if entry.via in OWN_WAYS and entry.move not in SECRET_ANSWERS)
    own = {entry.seat for entry in own_entries}
    for seat in seats:
        if seat.misses and seat.number in own:
            seat.misses = 0
            seat.save(update_fields=["misses"])


def play_on(
    game: Game, progress: Progress, bots: dict[int, str], orders: RunningOrders, now: datetime
) -> None:
    """Make the shuffles due by the rules, and let bots and standing orders answer.

    Stops when a person must decide or the game ends. A bot's secret answer leaves no more trace than a
    person's: emails and pages report by step (R17).
    """
    _shuffle_if_owed(game, progress, now)
    while answer := next_answer(progress.state, bots, orders):
        decision, move, via = answer
        progress.play(game, decision.seat, move, now, decision_step=decision.decision_step, via=via)
        _shuffle_if_owed(game, progress, now)


def _shuffle_if_owed(game: Game, progress: Progress, now: datetime) -> None:
    """Shuffle if the rules require it. A draw may need several shuffles in a row (R26)."""
    while progress.state.phase == Phase.SHUFFLE:
        cards = shuffled(game.key, progress.state.shuffles, progress.state.shuffle_pile)
        progress.play(game, None, parse_move("shuffle " + " ".join(cards)), now)


def _copy_position(game: Game, progress: Progress, now: datetime) -> None:
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


def end_by_table(game: Game, ended: str, winners: tuple[int, ...], now: datetime) -> None:
    """End a running game by decision of the table, not by the rules (R49).

    `winners` win by most regions; if it is empty, no one wins. Call this under the game's lock. In a match,
    each region scores 1 point if anyone wins, otherwise none.
    """
    game.ended, game.ended_at = ended, now
    game.result = result_by_table(game, winners)
    game.save(update_fields=["ended", "ended_at", "result"])
    game.proposals.filter(closed_at=None).update(closed_at=now)
    game.standing_orders.all().delete()
    seats = seats_of(game)
    ask(game, seats, (), now)
    _finish_table(game, seats, now)


def result_by_table(game: Game, winners: tuple[int, ...]) -> dict[str, Any]:
    """Return the result of a game that the table ends now with these winners."""
    result: dict[str, Any] = {"winners": list(winners), "reason": EndReason.MOST_REGIONS if winners else None}
    if game.table.options.plays_for_points and game.final_battle is None:
        result["points"] = list(regions_held(game)) if winners else [0] * game.players
    return result


def regions_held(game: Game) -> tuple[int, ...]:
    """Return how many regions each seat holds now."""
    held = Counter(dict(observe(replayed(game).state, None).control).values())
    return tuple(held[seat] for seat in range(game.players))


def holding_most_regions(game: Game) -> tuple[int, ...]:
    """Return the seats that hold most regions; in a match's final battle, those that held most before it."""
    held = game.final_battle or regions_held(game)
    most = max(count for count in held if count is not None)
    return tuple(seat for seat, count in enumerate(held) if count == most)


def _finish_table(game: Game, seats: Iterable[Seat], now: datetime) -> None:
    """Finish the table after its only game or its match's last; otherwise begin the pause between games."""
    if game.table.is_match and not isinstance(what_follows(game), MatchWon):
        Table.objects.filter(pk=game.table_id).update(next_game_at=now + settings.MATCH_PAUSE)
    else:
        Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED)
    for seat in seats:
        if seat.user is not None:
            key = f"game_over:{game.pk}:{seat.number}"
            queue("game_over", to=seat.user, key=key, context={"game": game.pk, "seat": seat.number})


# Answers to pending decisions. This is the only way a person's move enters a log.


@dataclass(frozen=True)
class Played:
    """The move is in the log. If `again` is true, it was there already for the same decision."""

    move: str
    next_question: Decision | None
    again: bool = False


class NotAsked(Exception):
    """Raised if this seat is not, or no longer, asked that decision."""


class AlreadyPlayed(NotAsked):
    """Raised if this seat has already answered that decision with another move, which is kept."""

    def __init__(self, move: str, via: str) -> None:
        super().__init__(move)
        self.move, self.via = move, via


@transaction.atomic
def submit_move(
    game: Game, seat: Seat, move: Move, decision_step: int, via: str, order: Order | None = None
) -> Played:
    """Play `move` as the seat's answer to the decision of step `decision_step`, in one transaction.

    A standing order given with it counts from after the move, unless the battle is then over for the seat.

    Repeating the same answer returns the same result and changes nothing. Raises NotAsked, AlreadyPlayed,
    games.rules.IllegalMove, BadOrder, and Refused if someone else has the seat by now; each leaves everything
    unchanged.
    """
    locked, number = locked_for(game, seat), seat.number
    progress = Progress.of(locked)
    state = progress.state
    questions = () if locked.is_over else pending(state)  # the table may have ended it (R49)
    if not any(decision.seat == number and decision.decision_step == decision_step for decision in questions):
        return _answered_before(locked, number, move, decision_step, questions)
    now = clock.now()
    progress.play(locked, number, move, now, decision_step=decision_step, via=via)
    if order is not None and is_in_battle(progress.state, number):
        store_order(locked, progress.state, number, order)
    append_entries(locked, progress, now)
    return Played(str(move), _question_of(number, pending(progress.state)))


def is_in_battle(state: State, seat: int) -> bool:
    """Return whether the seat is still in the battle that is being fought."""
    seen = observe(state, seat)
    return seen.phase == Phase.BATTLE and not seen.passed[seat]


def _answered_before(
    game: Game, seat: int, move: Move, decision_step: int, decisions: tuple[Decision, ...]
) -> Played:
    entry = LogEntry.objects.filter(game=game, seat=seat, decision_step=decision_step).first()
    if entry is None:
        raise NotAsked
    if entry.move != str(move):
        raise AlreadyPlayed(entry.move, entry.via)
    return Played(entry.move, _question_of(seat, decisions), again=True)


def _question_of(seat: int, decisions: tuple[Decision, ...]) -> Decision | None:
    return next((decision for decision in decisions if decision.seat == seat), None)
