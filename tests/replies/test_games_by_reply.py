"""Games played by replies alone, by people who know nothing but their emails."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.core import mail

from accounts.mail.delivery import deliver_due
from accounts.mail.receiving import receive
from games.models import Game, LogEntry
from tests.games.playing import begin_game, play_until
from tests.replies.programs import PROGRAMS, reply

pytestmark = pytest.mark.django_db

CHOICE = re.compile(r"^  (\S.*?)  +http\S+/confirm/\?move=\S+$", re.MULTILINE)
WAYS = re.compile(r"^Reply with one of these:\n\n?((?:  .+\n)+)", re.MULTILINE)


class Player:
    """Someone who reads their emails and replies with another mail program each time, in text or HTML."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.programs = itertools.cycle(itertools.product(PROGRAMS, ["text", "html", ""]))

    def answer(self, email: Any) -> None:
        """Reply to an email that offers choices; take the way that a receipt proposes."""
        ways = WAYS.search(email.body)
        choices = ways[1].splitlines() if ways else CHOICE.findall(email.body)
        if choices and "Reply-To" in email.extra_headers:
            program, only = next(self.programs)
            words = self.chance.choice(choices).strip().removesuffix(" …")
            receive(email.extra_headers["Reply-To"], reply(program, email, words, only=only))


def play_by_reply(people: Sequence[Any], seed: int) -> list[Any]:
    """Let these people play until no email asks anyone; return every email that was sent."""
    players = {person.email: Player(seed + number) for number, person in enumerate(people)}
    sent = list[Any]()
    mail.outbox.clear()
    while deliver_due():
        arrived = mail.outbox[:]
        mail.outbox.clear()
        sent += arrived
        for email in arrived:
            players[email.to[0]].answer(email)
    return sent


def check(game: Game, since: int, sent: Sequence[Any]) -> None:
    game.refresh_from_db()
    assert game.is_over
    assert game.ply > since + 5
    own = game.log.filter(ply__gte=since, seat__isnull=False)
    assert set(own.values_list("via", flat=True)) == {LogEntry.Via.EMAIL}
    receipts = [email for email in sent if email.subject.startswith("Re: ")]
    assert sum("Nothing was changed." not in email.body for email in receipts) == own.count()
    others = [email.body for email in receipts if "Nothing was changed." in email.body]
    assert all(body.startswith(("Which card", "Where do you send the Pope?")) for body in others), others


def test_a_game_is_played_to_its_end_by_replies(people: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "games.emails.battle_end.png", lambda _view: b""
    )  # drawing the map is half of the work
    game = begin_game(people)
    play_until(game, lambda state, question: state.phase == "battle" and state.ply > 150)
    since = game.ply
    check(game, since, play_by_reply(people, 2))


@pytest.mark.long
@pytest.mark.parametrize(
    ("edition", "variants", "seed"),
    [
        ("2007", [], 1),
        ("2007", [], 2),
        ("1995", [], 3),
        ("2007", ["hidden-cards", "draw-after-battle"], 4),
        ("2007", ["capturing-regions", "bigger-kingdoms"], 5),
    ],
    ids=str,
)
def test_whole_games_are_played_by_replies(
    people: list[Any], edition: str, variants: list[str], seed: int
) -> None:
    game = begin_game(people, options_json={"edition": edition, "variants": variants})
    check(game, 0, play_by_reply(people, seed))
