"""Two mail servers deliver at the same moment: a turn is answered once, and so is its player."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from accounts.mail.receiving import receive
from games.models import Game
from tests.replies.conftest import delivered, turn_email
from tests.replies.programs import gmail, outlook, reply
from tests.servers import HANGS

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.once]


def delivered_at_once(address: str, *sources: bytes) -> list[str]:
    """Deliver these messages at one moment; return the receipts."""
    if connection.vendor == "sqlite":
        pytest.skip("threads of one process share no SQLite in memory")
    ready = threading.Barrier(len(sources))

    def deliver(source: bytes) -> None:
        try:
            connection.ensure_connection()
            ready.wait(HANGS)
            receive(address, source)
        finally:
            connection.close()

    with ThreadPoolExecutor(len(sources)) as pool:
        for done in [pool.submit(deliver, source) for source in sources]:
            done.result(HANGS)
    return [email.body for email in delivered() if email.subject.startswith("Re: ")]


def test_the_same_reply_twice_at_once_moves_once_and_has_one_receipt(game: Game) -> None:
    email = turn_email()
    same = reply(gmail, email, "siena")
    (receipt,) = delivered_at_once(email.extra_headers["Reply-To"], *[same] * 4)
    assert receipt.startswith("You chose to fight for Siena.")
    assert game.log.exclude(seat=None).get().move == "place siena"


def test_of_two_replies_at_once_one_moves_and_the_other_is_told_so(game: Game) -> None:
    email = turn_email()
    both = reply(gmail, email, "siena"), reply(outlook, email, "roma")
    receipts = sorted(delivered_at_once(email.extra_headers["Reply-To"], *both))
    move = game.log.exclude(seat=None).get().move
    assert move in ("place siena", "place roma")
    assert receipts[0].startswith("You chose to fight for " + move.removeprefix("place ").title())
    assert receipts[1].startswith("You have already made your move for that turn.")
