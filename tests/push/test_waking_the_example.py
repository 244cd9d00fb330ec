"""The site wakes the example of the docs over HTTP, and the example makes its move."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path
from socket import AF_INET, SOCK_STREAM, socket
from typing import Any

import pytest

from accounts.api_tokens import make_token
from accounts.bots import make_bot
from accounts.models import User
from accounts.push.models import NoticeTarget, TargetNotice
from accounts.push.target_requests import new_signing_key
from accounts.push.tasks import send_due_to_targets
from games.models import Game, Seat
from tests.games.playing import begin_game, decision_of
from tests.push.receivers import PROGRAM, Got, Receiver
from tests.servers import HANGS, ROOT, free_port, wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def robin(anna: User) -> User:
    bot = make_bot(anna, "Robin")
    assert bot is not None
    return bot


@pytest.fixture
def target(robin: User, anna: User, signed_in: Any, receiver: Receiver) -> NoticeTarget:
    """The address at which the bot is woken, as its owner has entered it."""
    entered = signed_in(anna).post(f"/me/bots/{robin.pk}/waking/", {"endpoint": receiver.address(PROGRAM)})
    assert entered.status_code == 302
    robin.refresh_from_db()
    return NoticeTarget.objects.get(user=robin)


@pytest.fixture
def listening(
    robin: User, target: NoticeTarget, receiver: Receiver, live_server: Any, tmp_path: Path
) -> Iterator[Callable[[Got], int]]:
    """The example, which listens behind a server that speaks https; posts one more request to it."""
    _row, token = make_token(robin, "The example", ["read", "play"], None)
    port = free_port()
    environment = os.environ | {"SITE": live_server.url, "TOKEN": token, "KEY": target.secret}
    command = [sys.executable, "-u", str(ROOT / "docs" / "example_bot.py"), "--every", "60000"]
    command += ["--listen", str(port)]
    with (tmp_path / "said").open("wb") as said:
        example = subprocess.Popen(command, env=environment, stdout=said, stderr=said)

    def post(got: Got) -> int:
        connection = HTTPConnection("127.0.0.1", port)
        connection.sock = socket(AF_INET, SOCK_STREAM)  # names lead to the receiver here
        connection.sock.connect(("127.0.0.1", port))
        connection.request("POST", got.path, got.body, got.headers)
        return connection.getresponse().status

    def pass_on(handler: Any) -> None:
        handler.send_response(post(receiver.got[-1]))
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    receiver.answers[PROGRAM] = pass_on
    wait_until(lambda: is_open(port), "the example")
    yield post
    example.terminate()
    example.wait(HANGS)
    assert "Traceback" not in (tmp_path / "said").read_text()


def is_open(port: int) -> bool:
    with socket(AF_INET, SOCK_STREAM) as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def asked_game(robin: User, other: User) -> Game:
    """Begin a game in which the bot is the first to decide, and forget who else was asked before."""
    for order in ([robin, other], [other, robin]):
        game = begin_game(order, takes_bots=True)
        if decision_of(game).seat == game.table.seats.get(user=robin).number:
            TargetNotice.objects.exclude(context__game=game.pk).delete()
            return game
    raise AssertionError("the other one begins both games")


def is_asked(game: Game, robin: User) -> bool:
    return Seat.objects.filter(table=game.table_id, user=robin, asked_since__isnull=False).exists()


def test_a_turn_wakes_the_example_and_it_makes_its_move(
    robin: User, bruno: User, receiver: Receiver, listening: Callable[[Got], int]
) -> None:
    game = asked_game(robin, bruno)
    assert send_due_to_targets() == 1
    wait_until(lambda: not is_asked(game, robin), "the bot's move")
    assert game.log.filter(seat__isnull=False).exists()
    (got,) = receiver.got
    assert got.told["data"]["game"] == game.pk
    assert listening(got) == 403  # the same message again
    # It may have been asked again at once, and have made that move too.
    assert TargetNotice.objects.earliest("pk").answer == 204


def test_a_message_signed_with_another_key_wakes_no_one(
    robin: User, bruno: User, target: NoticeTarget, receiver: Receiver, listening: Callable[[Got], int]
) -> None:
    NoticeTarget.objects.update(secret=new_signing_key())
    game = asked_game(robin, bruno)
    assert send_due_to_targets() == 0
    assert (len(receiver.got), TargetNotice.objects.get().answer) == (1, 403)
    assert is_asked(game, robin)
    target.refresh_from_db()
    assert target.failures == 1
