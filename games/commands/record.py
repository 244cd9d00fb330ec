"""Writes a game down: log entries, the columns that copy the position, and the letters. One place for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings

from accounts.post.outbox import queue
from games.commands.asking import ask
from games.commands.bots import bots_among, next_answer
from games.commands.locking import seats_of
from games.commands.telling import tell_moved
from games.commands.timing import give_outages_back
from games.countdowns import pace_of
from games.matches import what_follows
from games.models import Game, LogEntry, Seat, Table
from games.replaying import replayed
from games.rules import (
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

MOST_REGIONS = "most regions"
OWN_WAYS = (LogEntry.Via.WEB, LogEntry.Via.LINK)
SECRET_ANSWERS = ("discard hand", "keep hand")


@dataclass
class Progress:
    """A position, and the log entries that led to it and are not stored yet."""

    state: State
    entries: list[LogEntry] = field(default_factory=list)

    def play(self, game: Game, seat: int | None, move: Move, at: datetime, **how: object) -> None:
        """Apply one move and note its entry. Raises IllegalMove, and then nothing is noted."""
        ply = self.state.ply
        self.state, _ = apply(self.state, seat, move)
        self.entries.append(LogEntry(game=game, ply=ply, seat=seat, move=str(move), at=at, **how))


def write_down(game: Game, progress: Progress, now: datetime) -> tuple[int, ...]:
    """Play on to a person's question, store the entries, copy the position, queue the letters.

    Called in the transaction that holds the game's lock. Returns the seats that are asked something.
    """
    had_begun, before = game.ply > 0, game.step
    give_outages_back(game, now)
    seats = seats_of(game)
    play_on(game, progress, bots_among(seats), now)
    LogEntry.objects.bulk_create(progress.entries)
    _forgive_misses(game, seats, progress.entries)
    _copy_position(game, progress.state, now)
    ask(game, seats, pending(progress.state), now)
    if progress.state.is_over:
        _end(game, seats, now)
    elif had_begun and game.step > before:
        tell_moved(game, seats, before, _open_movers(progress.entries))
    return tuple(decision.seat for decision in pending(progress.state))


def _open_movers(entries: Iterable[LogEntry]) -> set[int | None]:
    """Who moved for all to see. Who was the last to answer in secret is told of the round as the others are:
    else the letters would say that he was (R17)."""
    return {entry.seat for entry in entries if entry.move not in SECRET_ANSWERS}


def _forgive_misses(game: Game, seats: Iterable[Seat], entries: Iterable[LogEntry]) -> None:
    """Who answers himself has missed nothing in a row. A secret answer is not counted either way: the count
    can be seen at work, and would tell who was asked (R17)."""
    if pace_of(game.table) is None:
        return
    told = (entry for entry in entries if entry.via in OWN_WAYS and entry.move not in SECRET_ANSWERS)
    own = {entry.seat for entry in told}
    for seat in seats:
        if seat.misses and seat.number in own:
            seat.misses = 0
            seat.save(update_fields=["misses"])


def play_on(game: Game, progress: Progress, bots: dict[int, str], now: datetime) -> None:
    """Make the shuffles the rules owe, and let bots answer at once, until only people are asked or nobody is.

    A bot's secret answer leaves no more trace than a person's: what is told is told by steps (R17).
    """
    _shuffle_if_owed(game, progress, now)
    while answer := next_answer(progress.state, bots):
        decision, move = answer
        progress.play(game, decision.seat, move, now, asked_at=decision.asked_at, via=LogEntry.Via.BOT)
        _shuffle_if_owed(game, progress, now)


def _shuffle_if_owed(game: Game, progress: Progress, now: datetime) -> None:
    """A draw may need several shuffles, one after the other (R26)."""
    while progress.state.phase == "shuffle":
        cards = shuffled(game.key, progress.state.shuffles, progress.state.shuffle_pile)
        progress.play(game, None, parse_move("shuffle " + " ".join(cards)), now)


def _copy_position(game: Game, state: State, now: datetime) -> None:
    if state.step != game.step or state.ply == 0:
        game.moved_at = now  # R17: a secret answer leaves no public trace of its time
    game.ply, game.step, game.phase = state.ply, state.step, state.phase
    ended = outcome(state)
    if ended is not None:
        game.result = result_json(ended)
        game.ended_at = now
    game.save(update_fields=["ply", "step", "phase", "result", "moved_at", "ended_at"])


def end_by_table(game: Game, ended: str, winners: tuple[int, ...], now: datetime) -> None:
    """The table, not the rules, ends a running game (R49): with these winners by most regions, or with none.

    Called under the game's lock. Where points are played for, each region scores 1 if anybody wins,
    else none.
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
    """How many regions each seat holds now."""
    held = Counter(dict(observe(replayed(game).state, None).control).values())
    return tuple(held[seat] for seat in range(game.players))


def holding_most_regions(game: Game) -> tuple[int, ...]:
    """Who holds most regions now; in a match's final battle, who held most before it."""
    held = game.final_battle or regions_held(game)
    most = max(count for count in held if count is not None)
    return tuple(seat for seat, count in enumerate(held) if count == most)


def _end(game: Game, seats: Iterable[Seat], now: datetime) -> None:
    """The table is finished with its only game, or with the last of its match; before it, a pause begins."""
    if game.table.is_match and not isinstance(what_follows(game), MatchWon):
        Table.objects.filter(pk=game.table_id).update(next_game_at=now + settings.MATCH_PAUSE)
    else:
        Table.objects.filter(pk=game.table_id).update(state=Table.State.FINISHED)
    for seat in seats:
        if seat.user is not None:
            key = f"game_over:{game.pk}:{seat.number}"
            queue("game_over", to=seat.user, key=key, about={"game": game.pk, "seat": seat.number})
