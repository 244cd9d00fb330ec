"""Builds an email twice, with other hidden cards, and compares every byte.

In between, the stored games of its reader are rewritten so that their seat cannot tell the difference
(resampling.py). Everything is rolled back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from random import Random

import time_machine
from django.db import transaction
from django.utils import timezone, translation

from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.messages import Recipient, build_message
from accounts.mail.models import OutgoingEmail
from accounts.models import known_language
from games.clocks.policy import PACES
from games.models import Game, LogEntry, Seat
from games.rules import Decision, Replay, pending, replay
from tests.simulation.games.resampling import Log, resampled

BOUNDARY = re.compile(rb"={10,}\d+==")  # between the parts of a message, drawn by lot


def tells_hidden(email: OutgoingEmail, rng: Random) -> bool | None:
    """Whether the email as it would be sent now tells anything its reader may not know; None where nothing
    could be different."""
    others = [(game, log) for game in _games(email) if (log := _other(game, email, rng)) is not None]
    if not others:
        return None
    with time_machine.travel(timezone.now(), tick=False):  # an email says the second in which it was made
        return _built(email, []) != _built(email, others)


def _games(email: OutgoingEmail) -> Sequence[Game]:
    """Return the running games that the email may be about."""
    running = Game.objects.running().select_related("table")
    if "game" in email.context:
        return list(running.filter(pk=email.context["game"]))
    return [] if email.to_user is None else list(running.of(email.to_user))


def _other(game: Game, email: OutgoingEmail, rng: Random) -> Log | None:
    seat = _seat_of(game, email)
    if seat is None:
        return None
    log = list(game.log.order_by("ply").values_list("seat", "move"))
    other = resampled(game.table.options, game.players, game.first_condottiere, log, seat, rng)
    return None if other == log else other


def _seat_of(game: Game, email: OutgoingEmail) -> int | None:
    return game.table.seats.filter(user=email.to_user_id).values_list("number", flat=True).first()


def _built(email: OutgoingEmail, others: Sequence[tuple[Game, Log]]) -> bytes | None:
    """Return the whole message with other hidden cards in these games; None if nothing is sent."""
    with transaction.atomic():
        for game, log in others:
            _retell(game, log, _seat_of(game, email))
        message = _written(email)
        transaction.set_rollback(True)
    return message


def _written(email: OutgoingEmail) -> bytes | None:
    reader = email.to_user
    assert reader is not None
    language = known_language(reader.language)
    with translation.override(language), timezone.override(reader.zone):
        content = EMAIL_KINDS[email.kind].build(email)
        if content is None:
            return None
        message = build_message(
            content, Recipient(reader.email, reader, language, reader.zone), email.message_id
        )
        return BOUNDARY.sub(b"-", message.message().as_bytes())


def _retell(game: Game, log: Log, reader: int | None) -> None:
    """Store another log, and the columns that follow from it. Which others answered a secret decision, when,
    and whether the clock did it for them, may be otherwise now."""
    told = _replayed(game, log)
    known = iter(_known_entries(game, reader))
    entries = []
    for ply, played in enumerate(told.plies):
        is_secret = _is_secret(told, ply, reader)
        at, via = (game.started_at, _SECRET_WAYS[ply % 2]) if is_secret else next(known)
        decision_step = None if played.seat is None else told.states[ply].step
        move = str(played.move)
        entries.append(
            LogEntry(
                game=game, ply=ply, seat=played.seat, move=move, decision_step=decision_step, at=at, via=via
            )
        )
    LogEntry.objects.filter(game=game).delete()
    LogEntry.objects.bulk_create(entries)
    Game.objects.filter(pk=game.pk).update(ply=told.state.ply)
    if told.state.phase == "hand":
        asked = {decision.seat: decision for decision in pending(told.state)}
        for seat in game.table.seats.filter(user__isnull=False):
            _ask_otherwise(seat, asked.get(seat.number), game)


_SECRET_WAYS = (LogEntry.Via.CLOCK, LogEntry.Via.LINK)


def _is_secret(told: Replay, ply: int, reader: int | None) -> bool:
    """Return whether this entry is another seat's secret decision (R17)."""
    return told.states[ply].phase == "hand" and told.plies[ply].seat != reader


def _known_entries(game: Game, reader: int | None) -> list[tuple[datetime, str]]:
    """Return when and how each entry known to the reader was made; the other log has as many."""
    rows = list(game.log.order_by("ply").values_list("seat", "move", "at", "via"))
    told = _replayed(game, [(seat, move) for seat, move, _, _ in rows])
    return [(at, via) for ply, (_, _, at, via) in enumerate(rows) if not _is_secret(told, ply, reader)]


def _replayed(game: Game, log: Log) -> Replay:
    return replay(game.table.options, game.players, game.first_condottiere, log, game.final_battle)


def _ask_otherwise(seat: Seat, decision: Decision | None, game: Game) -> None:
    """Keep the reader's decision; others may or may not have one."""
    if (decision is None) == (seat.decision_step is None):
        return
    columns: dict[str, object] = dict.fromkeys(
        (
            "pending_decision",
            "decision_step",
            "asked_since",
            "counted_from",
            "time_left",
            "due_at",
            "remind_at",
        )
    )
    if decision is not None:
        begun = game.moved_at
        columns |= {
            "pending_decision": decision.kind,
            "decision_step": decision.decision_step,
            "asked_since": begun,
        }
        pace = PACES.get(game.table.pace)
        if pace is not None:
            columns |= {"counted_from": begun, "time_left": pace.per_decision}
            columns |= {"due_at": begun + pace.per_decision}
    Seat.objects.filter(pk=seat.pk).update(**columns)
