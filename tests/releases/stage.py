"""What an own site's code does in a process of its own: `python -m tests.releases.stage NAME` prints JSON."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from typing import Any

import django

HOURS = timedelta(hours=1)


def play() -> dict[str, Any]:
    """Three hours ago: a deadline two hours later, and emails about open turns, closed turns and others."""
    from accounts import clock
    from accounts.mail.models import CapturedEmail, OutgoingEmail
    from accounts.mail.outbox import queue
    from games.models import Heartbeat
    from tests.clocks.passing import Wall, asked_seat, pass_once, timed_game
    from tests.people import proven

    backed_up = clock.now() - 3 * HOURS
    wall = Wall(backed_up - 94 * HOURS)
    with clock.use_clock(wall):
        anna, bruno = proven("anna@example.org", "Anna"), proven("bruno@example.org", "Bruno")
        due = timed_game([anna, bruno], name="Due")
        wall.pass_to(backed_up)
        assert asked_seat(due).due_at == backed_up + 2 * HOURS
        CapturedEmail.objects.all().delete()
        timed_game([anna, bruno], name="Just asked")
        answered = timed_game([anna, bruno], name="Answered")
        pass_once(answered)
        context = {"code": "123456"}
        queue(
            "account", to="new@example.org", key="code", context=context, forgets=True, forgets_address=True
        )
    queued = OutgoingEmail.objects.filter(state="queued")
    kinds = sorted(queued.values_list("kind", flat=True))
    return {"queued": kinds, "tick": Heartbeat.objects.get().at.isoformat(), "due": due.pk}


def go_on() -> dict[str, Any]:
    """What worker and beat do when they start: the emails that are due, and the clock."""
    from accounts import clock
    from accounts.mail.delivery import deliver_due
    from accounts.mail.models import CapturedEmail, OutgoingEmail
    from games.models import Game, Outage
    from games.services.reminders import remind_due
    from games.services.tick import run_tick
    from tests.clocks.passing import asked_seat

    now = clock.now()
    played = run_tick(now)
    remind_due(now)
    deliver_due()
    left = asked_seat(Game.objects.get(table__name="Due")).due_at - now
    code = OutgoingEmail.objects.get(key="code")
    return {
        "played": played,
        "sent": sorted([email.to, email.subject] for email in CapturedEmail.objects.all()),
        "minutes left": round(left.total_seconds() / 60),
        "outages": [[one.start.isoformat(), one.end.isoformat()] for one in Outage.objects.order_by("pk")],
        "code": [code.context, code.to_address, code.state],
    }


def new_rows() -> dict[str, int]:
    """The numbers that rows get now, in tables with rows and without."""
    from accounts.mail.models import OutgoingEmail
    from games.models import Table
    from tests.clocks.passing import timed_game
    from tests.people import proven

    people = [proven("carla@example.org", "Carla"), proven("dario@example.org", "Dario")]
    game = timed_game(people)
    numbers = {"user": people[0].pk, "game": game.pk, "table": Table.objects.latest("pk").pk}
    return numbers | {"email": OutgoingEmail.objects.latest("pk").pk}


if __name__ == "__main__":
    django.setup()
    print(json.dumps({"play": play, "go_on": go_on, "new_rows": new_rows}[sys.argv[1]]()))
