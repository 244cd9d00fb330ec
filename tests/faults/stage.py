"""What a site needs before a fault can be watched, made by its own code: `python -m tests.faults.stage`.

prepare       the database, and one letter that others are copied from
games N       N games of three people; prints what their browsers need to know, as JSON
"""

import json
import sys
import time
from types import SimpleNamespace

import django


def prepare() -> None:
    from django.core.management import call_command

    from accounts.post.models import Letter
    from accounts.post.outbox import queue

    call_command("migrate", interactive=False, verbosity=0)
    queue("greeting", to="pattern@example.org", key="pattern", about={})
    Letter.objects.update(state=Letter.State.OVERTAKEN)


def games(count: str, pace: str = "none") -> None:
    from django.conf import settings
    from django.test import Client

    from accounts.models import User
    from games import commands
    from games.models import Game, Table
    from tests.journeys.playing import made_table

    names = ("Anna", "Bruno", "Carla")
    people = [User.objects.get_or_create_proven(f"{name.lower()}@example.org", name) for name in names]
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
            commands.confirm(seat)
        begun.append(Game.objects.get(table=table).pk)
    print(json.dumps({"cookie": settings.SESSION_COOKIE_NAME, "sessions": sessions, "games": begun}))


def ticks(seconds: str) -> None:
    """What a beat leaves in the broker in this time while no worker comes. The hours pass at once."""
    from celery.beat import Service

    from condottiere_site import beat
    from condottiere_site.celery import app

    service = Service(app, scheduler_cls=app.conf.beat_scheduler)
    began, passed = time.monotonic(), 0.0
    beat.time = SimpleNamespace(monotonic=lambda: began + passed)
    while passed < float(seconds):
        passed += max(service.scheduler.tick(), 0.001)
    name = "accounts.post.tasks.deliver_due"
    print(service.scheduler.producer.channel.queue_declare(queue=name).message_count)


if __name__ == "__main__":
    django.setup()
    {"prepare": prepare, "games": games, "ticks": ticks}[sys.argv[1]](*sys.argv[2:])
