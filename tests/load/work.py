"""The site's work that is measured: a game page, a move, an email."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import quantiles
from time import perf_counter, process_time
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from condottiere_site.celery import app
from games.models import Game, Seat
from games.models.replay import replayed
from games.rules import legal_moves, pending
from tests.people import client_of


class Cost(NamedTuple):
    """What one piece of work took."""

    seconds: float
    processor: float
    statements: int


class Waiting(NamedTuple):
    """A running game, and a browser of the person who is asked there."""

    game: int
    client: Client
    form: dict[str, Any]  # a move


def waiting_games(count: int) -> Iterator[Waiting]:
    """Yield games that wait for a card, spread over the site."""
    seats = Seat.objects.filter(asked_since__isnull=False, table__name="Running game").select_related("user")
    known = list(seats.order_by("pk").values_list("pk", flat=True))
    for pk in known[:: max(1, len(known) // count)][:count]:
        seat = seats.get(pk=pk)
        game = Game.objects.select_related("table").get(table=seat.table_id)
        state = replayed(game).state
        decision = pending(state)[0]
        moves = [str(move) for move in legal_moves(state, decision.seat)]
        move = next(text for text in moves if text.startswith("play"))
        assert seat.user is not None
        yield Waiting(game.pk, client_of(seat.user), {"move": move, "decision_step": decision.decision_step})


def visit(waiting: Waiting) -> bytes:
    answer = waiting.client.get(f"/games/{waiting.game}/")
    assert answer.status_code == 200
    return bytes(answer.content)


def move(waiting: Waiting) -> None:
    answer = waiting.client.post(f"/games/{waiting.game}/move/", waiting.form)
    assert answer.status_code == 302, answer.content


def deliver_one() -> None:
    """Send one queued email."""
    limits = iter((False, False))  # the loop asks before the batch, and before its first email
    assert deliver_due(is_over=lambda: next(limits, True)) == 1


def forget_emails() -> None:
    """Leave nothing to deliver."""
    OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED).delete()


def queued_emails() -> int:
    return OutgoingEmail.objects.filter(state=OutgoingEmail.State.QUEUED).count()


def run_task(name: str) -> int:
    """Run a clock task once; return how much it did."""
    return int(app.tasks[name].apply().result or 0)


def idle_ticks(times: int) -> dict[str, Summary]:
    """Return what each clock task costs that has nothing to do, once what is due has been done."""
    app.loader.import_default_modules()
    names = list(settings.BEAT_SECONDS)
    while sum([run_task(name) for name in names if not name.endswith("deliver_due")]):
        forget_emails()
    return {name: Summary.of([cost_of(run_task, name) for _time in range(times)]) for name in names}


def cost_of(work: Any, *args: Any) -> Cost:
    """Do it once; return what it took."""
    statements = 0

    def counted(execute: Any, *given: Any) -> Any:
        nonlocal statements
        statements += 1
        return execute(*given)

    with connection.execute_wrapper(counted):
        began, processor = perf_counter(), process_time()
        work(*args)
        return Cost(perf_counter() - began, process_time() - processor, statements)


class Summary(NamedTuple):
    """The quartiles of many costs: milliseconds, and statements."""

    count: int
    wall: tuple[float, float, float]
    processor: tuple[float, float, float]
    statements: float

    @classmethod
    def of(cls, costs: list[Cost]) -> Summary:
        def quartiles(values: list[float]) -> tuple[float, float, float]:
            first, median, third = quantiles(values, n=4, method="inclusive")
            return round(first * 1000, 2), round(median * 1000, 2), round(third * 1000, 2)

        statements = sorted(cost.statements for cost in costs)[len(costs) // 2]
        return cls(
            len(costs),
            quartiles([cost.seconds for cost in costs]),
            quartiles([cost.processor for cost in costs]),
            statements,
        )
