"""Submit a move: lock, check, apply, append, set the clock and queue the emails, in one transaction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.db.models import prefetch_related_objects

from accounts import clock
from accounts.mail.outbox import queue
from games.bots import choose
from games.clocks.countdowns import (
    COUNTDOWN_COLUMNS,
    are_calendars_read,
    clear_countdown,
    pace_of,
    runs_clock,
    start_countdown,
    stop_countdown,
)
from games.clocks.pauses import give_outages_back
from games.models import Game, LogEntry, Seat, Table
from games.models.glimpses import glimpse_of
from games.models.locking import seats_of
from games.models.matches import what_follows
from games.models.replay import replayed
from games.rules import (
    Decision,
    Event,
    MatchWon,
    Move,
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

QUESTION_COLUMNS = ("pending_decision", "decision_step", "asked_since", *COUNTDOWN_COLUMNS)


def ask(game: Game, seats: list[Seat], decisions: Collection[Decision], now: datetime) -> None:
    """Store the pending decisions, start their clocks, and queue an email to each newly asked player.

    `seats` are all of the table's seats, in the order of locking.py.
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
            _put(game, seat, decision, answering, now)


def _put(game: Game, seat: Seat, decision: Decision | None, seats: list[Seat], now: datetime) -> None:
    """Close the seat's decision and its clock; store the next one, if any, and start its clock."""
    clear_decision(game, seat, now)
    if decision is not None:
        seat.pending_decision, seat.decision_step, seat.asked_since = (
            decision.kind,
            decision.decision_step,
            now,
        )
        start_countdown(seat, game.table, game, seats, now)
    seat.save(update_fields=QUESTION_COLUMNS)
    if decision is not None:
        notify_asked(game, seat, decision.decision_step)


def clear_decision(game: Game, seat: Seat, now: datetime) -> None:
    """Clear the pending decision on the seat's row, unsaved; used reserve is not given back."""
    stop_countdown(seat, game.table, game, now)
    seat.pending_decision = seat.decision_step = seat.asked_since = None


def _stop_clock_if_nobody_waits(game: Game, seat: Seat, seats: list[Seat]) -> None:
    """Stop the clock of a pending decision when no other person is left to wait for the answer."""
    if seat.due_at is not None and not runs_clock(seat, game.table, seats):
        clear_countdown(seat)
        seat.save(update_fields=QUESTION_COLUMNS)


# Bot answers. A bot sees only its own seat's observation.


def bots_among(seats: Iterable[Seat]) -> dict[int, str]:
    """Return the strengths of bots by seat, for bot seats and for absent players."""
    return {seat.number: seat.played_by for seat in seats if seat.played_by}


def next_answer(state: State, bots: dict[int, str]) -> tuple[Decision, Move] | None:
    """Return the answer of the first bot with a pending decision, or None."""
    for decision in pending(state):
        if decision.seat in bots:
            return decision, choose(bots[decision.seat], observe(state, decision.seat))
    return None


# Log entries. This is the only place that writes entries, copies the position and queues the emails.


MOST_REGIONS = "most regions"
OWN_WAYS = (LogEntry.Via.WEB, LogEntry.Via.LINK)
SECRET_ANSWERS = ("discard hand", "keep hand")


@dataclass
class Progress:
    """A position, and the log entries that led to it and are not stored yet."""

    state: State
    entries: list[LogEntry] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def play(self, game: Game, seat: int | None, move: Move, at: datetime, **how: object) -> None:
        """Apply one move and add its entry. Raises IllegalMove, and then adds nothing."""
        ply = self.state.ply
        self.state, events = apply(self.state, seat, move)
        self.events += events
        self.entries.append(LogEntry(game=game, ply=ply, seat=seat, move=str(move), at=at, **how))


def append_entries(game: Game, progress: Progress, now: datetime) -> tuple[int, ...]:
    """Play on until a person must decide, store the entries, copy the position, and queue the emails.

    Call this in the transaction that holds the game's lock. Returns the seats with a pending decision.
    """
    had_begun, before = game.ply > 0, game.step
    give_outages_back(game, now)
    seats = seats_of(game)
    play_on(game, progress, bots_among(seats), now)
    LogEntry.objects.bulk_create(progress.entries)
    _forgive_misses(game, seats, progress.entries)
    _copy_position(game, progress, now)
    ask(game, seats, pending(progress.state), now)
    if progress.state.is_over:
        _end(game, seats, now)
    elif had_begun and game.step > before:
        notify_moved(game, seats, before, _open_movers(progress.entries))
    return tuple(decision.seat for decision in pending(progress.state))


def _open_movers(entries: Iterable[LogEntry]) -> set[int | None]:
    """Return the seats that moved openly.

    The last player to answer in secret is not one of them. Otherwise the emails would reveal them (R17).
    """
    return {entry.seat for entry in entries if entry.move not in SECRET_ANSWERS}


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


def play_on(game: Game, progress: Progress, bots: dict[int, str], now: datetime) -> None:
    """Make the shuffles due by the rules and let bots answer, until a person must decide or the game ends.

    A bot's secret answer leaves no more trace than a person's: emails and pages report by step (R17).
    """
    _shuffle_if_owed(game, progress, now)
    while answer := next_answer(progress.state, bots):
        decision, move = answer
        progress.play(
            game, decision.seat, move, now, decision_step=decision.decision_step, via=LogEntry.Via.BOT
        )
        _shuffle_if_owed(game, progress, now)


def _shuffle_if_owed(game: Game, progress: Progress, now: datetime) -> None:
    """Shuffle if the rules require it. A draw may need several shuffles in a row (R26)."""
    while progress.state.phase == "shuffle":
        cards = shuffled(game.key, progress.state.shuffles, progress.state.shuffle_pile)
        progress.play(game, None, parse_move("shuffle " + " ".join(cards)), now)


def _copy_position(game: Game, progress: Progress, now: datetime) -> None:
    state = progress.state
    if state.step != game.step or state.ply == 0:
        game.moved_at = now  # R17: a secret answer leaves no public trace of its time
    game.ply, game.step, game.phase = state.ply, state.step, state.phase
    game.glimpse = glimpse_of(state, progress.events, game.glimpse)
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
    game.result = {"winners": list(winners), "reason": MOST_REGIONS if winners else None}
    if game.table.options.plays_for_points and game.final_battle is None:
        game.result["points"] = list(regions_held(game)) if winners else [0] * game.players
    game.save(update_fields=["ended", "ended_at", "result"])
    game.proposals.filter(closed_at=None).update(closed_at=now)
    seats = seats_of(game)
    ask(game, seats, (), now)
    _end(game, seats, now)


def regions_held(game: Game) -> tuple[int, ...]:
    """Return how many regions each seat holds now."""
    held = Counter(dict(observe(replayed(game).state, None).control).values())
    return tuple(held[seat] for seat in range(game.players))


def holding_most_regions(game: Game) -> tuple[int, ...]:
    """Return the seats that hold most regions; in a match's final battle, those that held most before it."""
    held = game.final_battle or regions_held(game)
    most = max(count for count in held if count is not None)
    return tuple(seat for seat, count in enumerate(held) if count == most)


def _end(game: Game, seats: Iterable[Seat], now: datetime) -> None:
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

    def __init__(self, move: str) -> None:
        super().__init__(move)
        self.move = move


@transaction.atomic
def submit_move(game: Game, seat: int, move: Move, decision_step: int, via: str) -> Played:
    """Play `move` as the answer to the decision put to `seat` at step `decision_step`, in one transaction.

    Repeating the same answer returns the same result and changes nothing. Raises NotAsked, AlreadyPlayed or
    games.rules.IllegalMove; each leaves everything unchanged.
    """
    locked = Game.objects.select_for_update(of=("self",)).select_related("table").get(pk=game.pk)
    state = replayed(locked).state
    questions = () if locked.is_over else pending(state)  # the table may have ended it (R49)
    if not any(decision.seat == seat and decision.decision_step == decision_step for decision in questions):
        return _answered_before(locked, seat, move, decision_step, questions)
    now = clock.now()
    progress = Progress(state)
    progress.play(locked, seat, move, now, decision_step=decision_step, via=via)
    append_entries(locked, progress, now)
    return Played(str(move), _question_of(seat, pending(progress.state)))


def _answered_before(
    game: Game, seat: int, move: Move, decision_step: int, decisions: tuple[Decision, ...]
) -> Played:
    entry = LogEntry.objects.filter(game=game, seat=seat, decision_step=decision_step).first()
    if entry is None:
        raise NotAsked
    if entry.move != str(move):
        raise AlreadyPlayed(entry.move)
    return Played(entry.move, _question_of(seat, decisions), again=True)


def _question_of(seat: int, decisions: tuple[Decision, ...]) -> Decision | None:
    return next((decision for decision in decisions if decision.seat == seat), None)
