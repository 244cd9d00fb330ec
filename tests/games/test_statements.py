"""How many statements a page and a move put to the database: one more fails, and fewer change the number."""

import random
from collections.abc import Callable
from datetime import timedelta
from itertools import chain, repeat
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from games.chat.services import write
from games.models import Game
from games.rules import Phase
from games.services.tick import play_overdue
from tests.games.playing import begin_game, decision_of, legal_texts, play_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]

PAGE = 7
FIRST_VISIT = PAGE + 1  # the read marker
WITH_MESSAGES = PAGE + 2  # and the deals that wait
MOVE = 12
LAST_MOVE = 13
EMAIL = 7  # besides what a tick reads once: the emails that are due, and how the mail server is
LATE_EMAIL = 12
DEADLINE = 12  # that the clock enforces
EMAIL_OF_DEADLINE = 8


@pytest.fixture
def game(people: list[Any], dario: Any) -> Game:
    """A game of four with a clock and a battle of several cards."""
    game = begin_game([*people, dario], pace="day")
    play_until(game, lambda state, decision: decision.kind == Phase.BATTLE and state.ply > 8, seed=3)
    return game


@pytest.fixture
def client(game: Game, signed_in: Any) -> Client:
    asked: Client = signed_in(game.table.seats.get(number=decision_of(game).seat).user)
    return asked


def statements(captured: CaptureQueriesContext) -> list[str]:
    """Return what was put to the database, without the ends of transactions."""
    return [query["sql"] for query in captured if query["sql"] not in ("BEGIN", "COMMIT")]


def read(client: Client, game: Game) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(f"/games/{game.pk}/").status_code == 200
    return statements(captured)


def test_the_game_page(client: Client, game: Game) -> None:
    first, again = read(client, game), read(client, game)
    assert len(first) == FIRST_VISIT, first
    assert len(again) == PAGE, again


def test_the_game_page_with_messages(client: Client, game: Game) -> None:
    for seat in game.table.seats.exclude(user=None):
        write(seat, "I leave Siena to you if you leave Roma to me.")
    read(client, game)
    again = read(client, game)
    assert len(again) == WITH_MESSAGES, again


def test_a_move(client: Client, game: Game) -> None:
    move = next(text for text in legal_texts(game) if text.startswith("play"))
    form = {"move": move, "decision_step": decision_of(game).decision_step}
    with CaptureQueriesContext(connection) as captured:
        assert client.post(f"/games/{game.pk}/move/", form).status_code == 302
    assert len(found := statements(captured)) == MOVE, found


def test_every_move_of_a_game(people: list[Any], dario: Any, signed_in: Any) -> None:
    """No move puts more than the last one, which also finishes the table and sends an email to everyone."""
    game, counts = begin_game([*people, dario], pace="day"), [0]
    clients = {seat.number: signed_in(seat.user) for seat in game.table.seats.all()}
    chance = random.Random(5)
    while not Game.objects.get(pk=game.pk).is_over:
        decision, move = decision_of(game), chance.choice(legal_texts(game))
        form = {"move": move, "decision_step": decision.decision_step}
        with CaptureQueriesContext(connection) as captured:
            assert clients[decision.seat].post(f"/games/{game.pk}/move/", form).status_code == 302
        counts.append(len(statements(captured)))
    assert max(counts) == counts[-1] == LAST_MOVE, counts


def one_email() -> Callable[[], bool]:
    """Return what ends a tick once it has delivered one email: it asks twice before it."""
    answers = chain((False, False), repeat(True))
    return lambda: next(answers)


def of_one_email(later: timedelta) -> list[str]:
    """Return the statements of one email so much later, without those that a tick puts for all its emails."""
    moment = clock.now() + later
    with CaptureQueriesContext(connection) as captured:
        assert deliver_due(moment, is_over=one_email()) == 1
    _due, _server, *own = statements(captured)
    return own


@pytest.fixture
def turn_email(game: Game) -> OutgoingEmail:
    """The one queued email: about a turn, to someone who knows the game and has had emails about it."""
    number = decision_of(game).seat
    game.table.seats.update(is_first_game=False)
    seat = game.table.seats.get(number=number)
    emails = OutgoingEmail.objects.filter(kind="your_turn", context__game=game.pk)
    turn = emails.get(key=f"your_turn:{game.pk}:{number}:{seat.decision_step}:{seat.user_id}")
    OutgoingEmail.objects.exclude(pk=turn.pk).delete()
    earlier = f"your_turn:{game.pk}:{number}:0:{seat.user_id}"
    sent = {"state": "sent", "not_before": clock.now()}
    OutgoingEmail.objects.create(kind="your_turn", to_user=seat.user, key=earlier, **sent)
    return turn


def test_an_email_about_a_turn(turn_email: OutgoingEmail) -> None:
    found = of_one_email(settings.EMAIL_HOLD)
    assert len(found) == EMAIL, found


def test_an_email_that_leaves_late(turn_email: OutgoingEmail) -> None:
    found = of_one_email(timedelta(hours=2))
    assert len(found) == LATE_EMAIL, found


def enforce(game: Game) -> list[str]:
    """Let the deadline of the asked player pass, who has had an email; return the clock's statements."""
    OutgoingEmail.objects.update(state="sent")
    long_ago = {"counted_from": clock.now() - timedelta(days=30), "due_at": clock.now()}
    game.table.seats.filter(number=decision_of(game).seat).update(remind_at=None, **long_ago)
    with CaptureQueriesContext(connection) as captured:
        assert play_overdue(clock.now()) == 1
    _due, *own, _no_more = statements(captured)
    return own


def test_a_deadline(game: Game) -> None:
    found = enforce(game)
    assert len(found) == DEADLINE, found


def test_the_email_to_a_player_who_ran_out_of_time(game: Game) -> None:
    enforce(game)
    OutgoingEmail.objects.filter(state="queued").exclude(kind="time_out").delete()
    found = of_one_email(timedelta())
    assert len(found) == EMAIL_OF_DEADLINE, found
