"""What must hold for a database of an earlier release that today's code has migrated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from unittest.mock import patch

import time_machine
from django.conf import settings
from django.core import mail
from django.test import Client, override_settings
from django.urls import reverse
from django.utils.module_loading import import_string

from accounts.mail.models import CapturedEmail, OutgoingEmail
from accounts.push.models import Push
from games.chat.models import Deal, Message, SealedNote
from games.leagues.integrity import recomputed
from games.leagues.models import LeagueTable, Season
from games.models import Game, LogEntry, SharedHour, StandingOrder
from games.models.heartbeat import Heartbeat
from games.models.replay import replayed
from games.rules import legal_moves, pending
from games.selectors.integrity import differences_of
from tests.leagues import world
from tests.people import client_of

LATER = timedelta(hours=3)  # when the site runs again; the time until then is given back
NO_NETWORK = ("accounts.mail.tasks.fetch_mail",)
TICKS = [task for task in settings.BEAT_SECONDS if task not in NO_NETWORK]
ONE_OF_EACH = (Deal, Message, SealedNote, SharedHour, StandingOrder, Push, CapturedEmail, Season)


def check() -> None:
    """Check everything, three hours after the last tick of the release that made the database."""
    for model in ONE_OF_EACH:
        assert model._default_manager.exists(), f"the database has no {model.__name__}"
    at = Heartbeat.objects.get().at
    with time_machine.travel(at + LATER, tick=False) as traveller, _sent() as posted:
        _replays()
        _links_open()
        _pages_open()
        already = _sent_before()
        by_clock = LogEntry.objects.filter(via="clock").count()
        _tick()
        assert LogEntry.objects.filter(via="clock").count() == by_clock, (
            "a deadline ran out during the upgrade"
        )
        _sent_once(already, posted)
        by_order = LogEntry.objects.filter(via="order").count()
        _can_move()
        assert LogEntry.objects.filter(via="order").count() > by_order, "no standing order was carried out"
        _replays()
        traveller.shift(timedelta(minutes=10))
        _tick()
        _sent_once(already, posted)
        _goes_on()
        _replays()


@contextmanager
def _sent() -> Iterator[list[str]]:
    """Keep emails in memory; yield the list of what push services get."""
    posted: list[str] = []

    def post(subscription: object, payload: str) -> int:
        posted.append(payload)
        return 201

    memory = override_settings(EMAIL_BACKEND="django.core.mail.backends.locmem.EmailBackend")
    no_maps = patch("games.map.raster._rendered", lambda _drawing: b"")  # drawing takes a third of a second
    with memory, no_maps, patch("accounts.push.push_requests.post", post):
        mail.outbox = []
        yield posted


def _tick() -> None:
    """Run every task until none has anything to do."""
    for _ in range(10):
        before = _amount()
        for task in TICKS:
            import_string(task)()
        if _amount() == before:
            return
    raise AssertionError("the ticks find no end")


def _amount() -> tuple[int, int, int, int]:
    done = Push.objects.filter(done_at=None).count()
    queued = OutgoingEmail.objects.filter(state="queued").count()
    return len(mail.outbox), OutgoingEmail.objects.count(), queued, done


def _sent_before() -> set[str]:
    """Return the Message-IDs of what the old release sent or gave up."""
    captured = CapturedEmail.objects.values_list("headers", flat=True)
    ids = {value for headers in captured for name, value in headers if name == "Message-ID"}
    return ids.union(OutgoingEmail.objects.exclude(state="queued").values_list("message_id", flat=True))


def _sent_once(already: set[str], posted: list[str]) -> None:
    sent = Counter(email.extra_headers["Message-ID"] for email in mail.outbox)
    assert sent, "no email was sent"
    assert not sent.keys() & already, "an email was sent that had been sent before"
    assert set(sent.values()) == {1}, "an email was sent twice"
    assert len(posted) == len(set(posted)), "a notification was sent twice"
    due = OutgoingEmail.objects.filter(state="queued", not_before__lte=_now())
    assert not due.exists(), f"{due.count()} emails are due and were not sent"


def _now() -> datetime:
    from accounts import clock

    return clock.now()


def _replays() -> None:
    wrong = {
        pk: found
        for pk, found in differences_of(list(Game.objects.values_list("pk", flat=True))).items()
        if found
    }
    assert wrong == {}, f"games differ from their logs: {wrong}"
    seasons = {str(season): found for season in Season.objects.all() if (found := recomputed(season))}
    assert seasons == {}, f"seasons differ from their games: {seasons}"


def _links_open() -> None:
    """Every link in an email of the old release opens a page."""
    texts = CapturedEmail.objects.values_list("text", flat=True)
    links = {link for text in texts for link in re.findall(re.escape(settings.SITE_URL) + r"(/\S+)", text)}
    assert links, "no email has a link"
    client = Client()  # one, because each new one looks for all static files
    for link in sorted(links):
        client.cookies.clear()
        status = client.get(link, follow=True).status_code
        assert status == 200, f"{link} answers {status}"


def _pages_open() -> None:
    """The pages that show what people wrote, agreed and played open for someone who may see them."""
    client = Client()
    message = Message.objects.filter(author__isnull=False).order_by("pk")[0]
    client.cookies = client_of(message.author).cookies
    table, season = message.channel.table_id, Season.objects.get(state=Season.State.RUNNING)
    over = Game.objects.exclude(ended_at=None).order_by("pk")[0]
    paths = [
        reverse("my_games"),
        reverse("chat", args=[table]),
        reverse("deals", args=[table]),
        reverse("season", args=[season.league_id, season.number]),
        reverse("game", args=[over.pk]),
    ]
    for path in paths:
        status = client.get(path).status_code
        assert status == 200, f"{path} answers {status}"


def _can_move() -> None:
    """In each running game, the player who is asked opens their page and moves."""
    client, moved = Client(), 0
    for game in Game.objects.running().select_related("table").order_by("pk"):
        state = replayed(game).state
        asked = pending(state)
        seats = {seat.number: seat for seat in game.table.all_seats()}
        decision = next((one for one in asked if seats[one.seat].user_id), None)
        if decision is None:
            continue  # a guest's practice game
        client.cookies = client_of(seats[decision.seat].person).cookies
        page = client.get(reverse("game", args=[game.pk]))
        assert page.status_code == 200, f"the page of game {game.pk} answers {page.status_code}"
        move = str(legal_moves(state, decision.seat)[0])
        form = {"move": move, "decision_step": decision.decision_step}
        answer = client.post(reverse("game_move", args=[game.pk]), form, follow=True)
        assert answer.status_code == 200, f"the move in game {game.pk} answers {answer.status_code}"
        assert game.log.filter(seat=decision.seat, decision_step=decision.decision_step, move=move).exists()
        moved += 1
    assert moved > 5, "hardly a game is running"


def _goes_on() -> None:
    """The running season comes to its end automatically once its tables are played."""
    season = Season.objects.get(state=Season.State.RUNNING)
    rounds = season.rounds
    for _round in range(rounds):
        world.finish_running(season)
        _tick()
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED, f"the season is {season.state}"
    drawn = LeagueTable.objects.filter(round__division__season=season).values("round").distinct().count()
    assert drawn == rounds, f"only {drawn} rounds were played"
