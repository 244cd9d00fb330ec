"""Time passes for tests: a clock that they move, and the ticks that a running site makes in that time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Min

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games.models import Game, Heartbeat, Seat
from games.models.replay import replayed
from games.rules import parse_move, pending
from games.services import tick
from games.services.reminders import remind_due
from tests.games.playing import begin_game, submit

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
TICK = timedelta(seconds=10)


class Wall:
    """A clock that moves only when told to."""

    def __init__(self, now: datetime = MONDAY) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def tick(self) -> int:
        """Run the tick of a site that was never down; return how many moves the clock played."""
        Heartbeat.objects.update_or_create(defaults={"at": self.now})
        remind_due(self.now)
        deliver_due()
        return tick.run_tick(self.now)

    def pass_to(self, moment: datetime) -> int:
        """Run every tick that has work until then, and one at that moment; return how often it played."""
        played = 0
        while (soonest := _next_row()) is not None and soonest <= moment:
            self.now = max(soonest, self.now + TICK)
            if self.now > moment:
                break
            played += self.tick()
        self.now = moment
        return played + self.tick()

    def pass_by(self, span: timedelta) -> int:
        return self.pass_to(self.now + span)


def _next_row() -> datetime | None:
    moments = [
        OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED).aggregate(at=Min("not_before"))["at"],
        Seat.objects.aggregate(at=Min("due_at"))["at"],
        Seat.objects.aggregate(at=Min("remind_at"))["at"],
    ]
    return min((moment for moment in moments if moment is not None), default=None)


def timed_game(people: Sequence[Any], pace: str = "day", **terms: Any) -> Game:
    """A game with a clock that has just begun."""
    return begin_game(people, pace=pace, **terms)


def seat_of(game: Game, number: int) -> Seat:
    return Seat.objects.select_related("table", "user").get(table=game.table_id, number=number)


def asked_seat(game: Game) -> Seat:
    """Return the one seat that is to move."""
    return Seat.objects.select_related("table", "user").get(table=game.table_id, decision_step__isnull=False)


def answer(game: Game, seat: Seat, text: str, via: str = "web") -> None:
    assert seat.decision_step is not None
    submit(game, seat.number, parse_move(text), seat.decision_step, via)


def pass_once(game: Game) -> Seat:
    """The asked player plays the default move; return the seat as it was asked."""
    from games.services.default_moves import default_move

    seat, fresh = asked_seat(game), Game.objects.select_related("table").get(pk=game.pk)
    state = replayed(fresh).state
    answer(fresh, seat, str(default_move(fresh, state, seat.number)))
    return seat


def emails(kind: str, to: Any = None) -> list[OutgoingEmail]:
    found = OutgoingEmail.objects.filter(kind=kind).order_by("pk")
    return list(found.filter(to_user=to) if to is not None else found)


def who_is_asked(game: Game) -> list[int]:
    fresh = Game.objects.select_related("table").get(pk=game.pk)
    return [decision.seat for decision in pending(replayed(fresh).state)]
