"""Many games ask one person at once while an email leaves: nothing is lost or sent twice."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection, transaction
from django.utils import timezone

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.models import User
from games.models import Seat
from games.services.notifications import decisions_in, notify_asked
from tests.games.playing import begin_game, decision_of
from tests.servers import HANGS, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


@pytest.fixture
def people(settings: Any, anna: Any, bruno: Any, carla: Any) -> list[Any]:
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    if connection.vendor == "sqlite":
        pytest.skip("threads of one process share no SQLite in memory")
    return [anna, bruno, carla]


def in_threads(jobs: list[Any]) -> None:
    def run(job: Any) -> None:
        try:
            job()
        finally:
            connection.close()

    with ThreadPoolExecutor(len(jobs)) as pool:
        for done in [pool.submit(run, job) for job in jobs]:
            done.result(HANGS)


def test_one_email_however_many_games_ask_at_the_same_moment(people: list[Any]) -> None:
    games = [begin_game(people, name=f"Table {number}") for number in range(8)]
    OutgoingEmail.objects.all().delete()
    User.objects.update(frequency="digest", at_once_when_alone=False)
    person = people[decision_of(games[0]).seat]
    ready = threading.Barrier(len(games))

    def ask(game: Any) -> None:
        seat = Seat.objects.select_related("user").get(table=game.table, user=person)
        ready.wait(HANGS)
        with transaction.atomic():
            notify_asked(game, seat, seat.decision_step or 0)

    in_threads([lambda game=game: ask(game) for game in games])
    (email,) = OutgoingEmail.objects.filter(kind="waiting")
    assert sorted(game for game, _, _ in decisions_in(email)) == sorted(game.pk for game in games)


@pytest.mark.long
def test_games_that_ask_the_same_people_never_wait_for_each_other_in_a_ring(people: list[Any]) -> None:
    """Return games that ask everyone at once, as a secret round does."""
    games = [begin_game(people, name=f"Table {number}") for number in range(6)]
    OutgoingEmail.objects.all().delete()
    User.objects.update(frequency="batched", at_once_when_alone=False)

    def ask(game: Any) -> None:
        for step in range(20):
            with transaction.atomic():
                for seat in Seat.objects.filter(table=game.table).select_related("user").order_by("user_id"):
                    notify_asked(game, seat, 1000 + step)

    in_threads([lambda game=game: ask(game) for game in games])
    for person in people:
        (email,) = OutgoingEmail.objects.filter(kind="waiting", to_user=person)
        assert len(decisions_in(email)) == 120


def test_what_is_asked_while_an_email_leaves_is_in_exactly_one(people: list[Any]) -> None:
    games = [begin_game(people, name=f"Table {number}") for number in range(4)]
    OutgoingEmail.objects.all().delete()
    User.objects.update(frequency="batched", batch_minutes=0, at_once_when_alone=False)
    person = people[0]
    stopped = threading.Event()
    gone = OutgoingEmail.objects.exclude(state=OutgoingEmail.State.QUEUED)

    def ask(game: Any) -> None:
        seat = Seat.objects.select_related("user").get(table=game.table, user=person)
        for step in range(40):
            if step == 20:  # so that a busy machine does not ask everything first
                wait_until(gone.exists, "an email to leave")
            with transaction.atomic():
                notify_asked(game, seat, 1000 + step)

    def deliver() -> None:
        while not stopped.is_set():
            with clock.use_clock(lambda: timezone.now() + timedelta(minutes=2)):
                deliver_due()
        connection.close()

    postman = threading.Thread(target=deliver)
    postman.start()
    try:
        in_threads([lambda game=game: ask(game) for game in games])
    finally:
        stopped.set()
        postman.join(HANGS)
    told = Counter(
        decision
        for email in OutgoingEmail.objects.filter(kind="waiting", to_user=person)
        for decision in decisions_in(email)
    )
    assert len(told) == 160
    assert set(told.values()) == {1}
    assert OutgoingEmail.objects.filter(kind="waiting").count() > 1


def test_a_move_that_hangs_holds_up_no_other_email(people: list[Any]) -> None:
    """Put the decision into an email, in a transaction that does not end."""
    game = begin_game(people)
    OutgoingEmail.objects.all().delete()
    User.objects.filter(pk=people[0].pk).update(
        frequency="batched", batch_minutes=0, at_once_when_alone=False
    )
    seats = {seat.user_id: seat for seat in Seat.objects.filter(table=game.table).select_related("user")}
    with transaction.atomic():
        notify_asked(game, seats[people[0].pk], 1000)
    hanging, over = threading.Event(), threading.Event()

    def hang() -> None:
        with transaction.atomic():
            notify_asked(game, seats[people[0].pk], 1001)
            hanging.set()
            over.wait(HANGS)

    def deliver() -> None:
        with clock.use_clock(lambda: timezone.now() + timedelta(minutes=2)):
            deliver_due()

    with ThreadPoolExecutor(1) as pool:
        hung = pool.submit(in_threads, [hang])
        assert hanging.wait(HANGS)
        queue("started", to=people[1], key="another", context={"game": game.pk})
        try:
            deliver()
            states = dict(OutgoingEmail.objects.values_list("kind", "state"))
            assert states == {"waiting": "queued", "started": "sent"}
        finally:
            over.set()
        hung.result(HANGS)
    deliver()
    assert OutgoingEmail.objects.get(kind="waiting").state != "queued"
