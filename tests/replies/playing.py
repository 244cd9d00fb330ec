"""People who know nothing but their emails, and answer them by replies alone."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Sequence
from email.message import EmailMessage
from functools import partial
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext

from games.models import Game, LogEntry
from games.presenters.hand import steps_title
from tests.replies.programs import PROGRAMS, reply

# A choice, without the marks of its card and the links that give an order.
CHOICE = re.compile(r"^  (\S.*?)(?: · .*?)?  +http\S+/confirm/\?move=[^\s&]+$", re.MULTILINE)

Deliver = Callable[[], Sequence[Any]]  # sends what is due; returns the emails that arrived
Send = Callable[[str, bytes], None]


def everywhere(say: Callable[[], str]) -> tuple[str, ...]:
    """Return what the site says, in each of its languages."""
    found = list[str]()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found.append(say())
    return tuple(found)


class Player:
    """Someone who reads their emails and replies with another mail program each time, in text or HTML."""

    def __init__(self, seed: int, send: Send) -> None:
        self.chance, self.send = random.Random(seed), send
        self.programs = itertools.cycle(itertools.product(PROGRAMS, ["text", "html", ""]))
        heads = "|".join(map(re.escape, everywhere(lambda: gettext("Reply with one of these:"))))
        self.ways = re.compile(rf"^(?:{heads})\n\n?((?:  .+\n)+)", re.MULTILINE)

    def answer(self, email: Any) -> None:
        """Reply to an email that offers choices; take the way that a receipt proposes."""
        ways = self.ways.search(email.body)
        choices = ways[1].splitlines() if ways else CHOICE.findall(email.body)
        if choices and "Reply-To" in email.extra_headers:
            program, only = next(self.programs)
            words = self.chance.choice(choices).strip().removesuffix(" …")
            self.send(email.extra_headers["Reply-To"], reply(program, email, words, only=only))


def received(message: EmailMessage) -> Any:
    """Return a message from a mail server in the shape of Django's emails."""
    text, html = message.get_body(["plain"]), message.get_body(["html"])
    assert text is not None
    assert html is not None
    return SimpleNamespace(
        body=text.get_content().replace("\r\n", "\n"),
        alternatives=[(html.get_content(), "text/html")],
        to=[str(message["To"])],
        subject=str(message["Subject"]),
        extra_headers={name: str(value) for name, value in message.items()},
    )


def play_by_reply(people: Sequence[Any], seed: int, deliver: Deliver, send: Send) -> list[Any]:
    """Let these people play until no email comes any more; return every email that was sent."""
    players = {person.email: Player(seed + number, send) for number, person in enumerate(people)}
    sent = list[Any]()
    while arrived := deliver():
        sent += arrived
        for email in arrived:
            players[email.to[0]].answer(email)
    return sent


def check(games: Sequence[Game], since: int, sent: Sequence[Any]) -> None:
    """Check that these games ended by replies alone, from this ply on, and that each move has a receipt."""
    count = 0
    for game in games:
        assert game.is_over
        assert game.ply > since + 5
        own = game.log.filter(ply__gte=since, seat__isnull=False)
        assert set(own.values_list("via", flat=True)) <= {LogEntry.Via.EMAIL, LogEntry.Via.ORDER}
        count += own.filter(via=LogEntry.Via.EMAIL).count()
    unchanged = everywhere(lambda: gettext("Nothing was changed."))
    receipts = [" ".join(email.body.split()) for email in sent if email.subject.startswith("Re: ")]
    others = [body for body in receipts if any(words in body for words in unchanged)]
    assert len(receipts) - len(others) == count
    asked = [title for card in ("scarecrow", "bishop") for title in everywhere(partial(steps_title, card))]
    strange = [body[:200] for body in others if not body.startswith(tuple(asked))]
    assert strange == []
