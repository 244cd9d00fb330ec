"""Sets up the data for a fault with the site's own code: `python -m tests.faults.stage`.

prepare       the database, and one email that others are copied from
games N       N games of three people; prints what their browsers need to know, as JSON
turns         the turns of all games with a clock: game, seat, step, reply address, and some moves, as JSON
answers [N]   a move in each of the games with a clock, or in the first N; how many, as JSON
crowd N       N running games with a clock, of as many people: rows written directly, as the site would
plain N       N emails as large as ours, sent by plain Celery; the processor seconds of each
"""

import json
import sys
import time
import uuid
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

import django

from tests.people import proven

TEXT, HTML = 2_000, 18_000  # characters of an email: the mean of those about a deadline and about a turn


def prepare() -> None:
    from django.core.management import call_command

    from accounts.mail.models import OutgoingEmail
    from accounts.mail.outbox import queue

    call_command("migrate", interactive=False, verbosity=0)
    queue("greeting", to="pattern@example.org", key="pattern", context={})
    OutgoingEmail.objects.update(state=OutgoingEmail.State.OVERTAKEN)


def games(count: str, pace: str = "none") -> None:
    from django.conf import settings
    from django.test import Client

    from games import services
    from games.models import Game, Table
    from games.services import lobby
    from tests.journeys.playing import made_table

    lobby.TABLES_A_DAY = 10**6  # one person makes them all, of every fault
    names = ("Anna", "Bruno", "Carla")
    people = [proven(f"{name.lower()}@example.org", name) for name in names]
    sessions = []
    for person in people:
        client = Client()
        client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
        sessions.append(client.cookies[settings.SESSION_COOKIE_NAME].value)
    begun = []
    for number in range(int(count)):
        table = made_table(people, name=f"Table {number}")
        Table.objects.filter(pk=table.pk).update(pace=pace)
        for seat in table.seats.all():
            services.confirm(seat)
        begun.append(Game.objects.get(table=table).pk)
    print(json.dumps({"cookie": settings.SESSION_COOKIE_NAME, "sessions": sessions, "games": begun}))


def crowd(count: str) -> None:
    from accounts.models import User
    from games.models import Game, LogEntry, Seat, Table
    from games.models.tables import new_join_key
    from tests.games.playing import begin_game

    games = int(count)
    people = more_people(games)
    first = begin_game(people[:3], pace="hours", hours="all", name="First")
    log, seats = list(first.log.all()), list(first.table.seats.all())
    for start in range(1, games, 1000):
        numbers = range(start, min(start + 1000, games))
        tables = copies(
            Table,
            (
                (first.table, {"name": f"Table {number}", "form_key": uuid.uuid4(), **_keys(new_join_key)})
                for number in numbers
            ),
        )
        pairs = list(zip(numbers, tables, strict=True))
        copies(
            Seat,
            (
                (seat, {"table": table, "user": people[(3 * number + seat.number) % games]})
                for number, table in pairs
                for seat in seats
            ),
        )
        begun = copies(Game, ((first, {"table": table}) for table in tables))
        copies(LogEntry, ((entry, {"game": game}) for game in begun for entry in log))
    User.objects.update(reminders=[])
    Seat.objects.update(remind_at=None)
    print(games)


def turns() -> None:
    from games.links import LinkedDecision, reply_address
    from games.models import Game
    from games.models.replay import replayed
    from games.rules import legal_moves, pending

    found = []
    for game in Game.objects.filter(table__pace="hours", ended_at=None).prefetch_related("table__seats"):
        state = replayed(game).state
        users = {seat.number: seat.user_id for seat in game.table.seats.all()}
        for asked in pending(state):
            decision = LinkedDecision(game.pk, asked.seat, users[asked.seat] or 0, asked.decision_step)
            moves = [str(move) for move in legal_moves(state, asked.seat)][-12:]
            found.append([game.pk, asked.seat, asked.decision_step, reply_address(decision), moves])
    print(json.dumps(found))


def answers(most: str = "1000000") -> None:
    from games.models import Game
    from games.models.replay import replayed
    from games.rules import legal_moves, pending
    from tests.games.playing import submit

    done = 0
    for game in Game.objects.filter(table__pace="hours", ended_at=None).order_by("pk")[: int(most)]:
        state = replayed(game).state
        asked = pending(state)[0]
        submit(game, asked.seat, legal_moves(state, asked.seat)[0], asked.decision_step)
        done += 1
    print(done)


def more_people(count: int) -> list[Any]:
    from accounts.models import User

    first = User.objects.count()
    return User.objects.bulk_create(
        User(email=f"person{number}@example.org", name=f"Person {number}")
        for number in range(first, first + count)
    )


def _keys(new: Callable[[], str]) -> dict[str, str]:
    return {"join_key": new(), "watch_key": new()}


def copies(model: Any, rows: Iterable[tuple[Any, dict[str, Any]]]) -> list[Any]:
    """Copy these rows with some fields changed."""
    columns = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
    made = []
    for row, other in rows:
        copy = model(**{name: getattr(row, name) for name in columns})
        for name, value in other.items():
            setattr(copy, name, value)
        made.append(copy)
    return list(model.objects.bulk_create(made))


def plain(count: str) -> None:
    from tests.load import yardsticks

    line = f"{'x' * 70}\n"
    text, html = (line * (size // len(line)) for size in (TEXT, HTML))
    with yardsticks.celery() as send:
        began = time.process_time()
        for _number in range(int(count)):
            send(text, html)
        print(json.dumps((time.process_time() - began) / int(count)))


def ticks(seconds: str) -> None:
    """Leave in the broker what beat would send in this time while no worker runs."""
    from celery.beat import Service

    from condottiere_site import beat
    from condottiere_site.celery import app

    service = Service(app, scheduler_cls=app.conf.beat_scheduler)
    began, passed = time.monotonic(), 0.0
    beat.time = SimpleNamespace(monotonic=lambda: began + passed)
    while passed < float(seconds):
        passed += max(service.scheduler.tick(), 0.001)
    name = "accounts.mail.tasks.deliver_due"
    print(service.scheduler.producer.channel.queue_declare(queue=name).message_count)


if __name__ == "__main__":
    django.setup()
    stages = (prepare, games, answers, crowd, plain, ticks, turns)
    {stage.__name__: stage for stage in stages}[sys.argv[1]](*sys.argv[2:])
