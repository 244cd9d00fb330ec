"""`python -m tests.benchmarks --hostile`: what hostile input costs, doubled twice.

Each reader of foreign text gets each shape at a quarter, half and all of the largest size that comes there.
Printed are the processor time for all of it, how many times that of an ordinary reply this is, and how many
times more a half costs than a quarter, and all than a half. That is near 2 if time grows with the length,
near 4 if with its square, and near 1 if the rest is not read. Exit status 1 if a shape costs too much.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from time import process_time
from typing import Any
from urllib.parse import urlencode

from tests.benchmarks.shapes import Shape, shapes

ROUNDS = 3
MOST_RATIO = 3.0  # of all to a half
MOST_TIMES = 1000  # what an ordinary reply costs
LEAST_JUDGED = 0.005  # seconds; of less, a ratio says nothing

Reader = Callable[[str], object]


@dataclass(frozen=True)
class Cost:
    """Seconds for a quarter, half and all of a shape, each the lightest of some rounds."""

    shape: Shape
    quarter: float
    half: float
    whole: float

    @property
    def ratios(self) -> tuple[float, float]:
        """How many times more a half costs than a quarter, and all than a half."""
        return self.half / max(self.quarter, 1e-6), self.whole / max(self.half, 1e-6)

    def misses(self, ordinary: float) -> bool:
        """Whether this costs too much."""
        grows = self.whole > LEAST_JUDGED and min(self.ratios) > MOST_RATIO
        return grows or self.whole > MOST_TIMES * ordinary

    def row(self, ordinary: float) -> str:
        """Return its line of the report."""
        first, second = self.ratios
        told = f"{self.shape.reader:20}{self.shape.name:36}{self.shape.most // 1000:7}"
        told += f"{self.whole * 1000:10.1f}{self.whole / ordinary:8.1f}{first:8.1f}{second:6.1f}"
        return f"{told}{' MISSED' if self.misses(ordinary) else ''}"


HEADING = f"{'reader':20}{'shape':36}{'kB':>7}{'ms':>10}{'times':>8}{'ratios':>14}"


def main(only: str = "") -> int:
    """Measure all shapes, or those of one reader, and print the report."""
    logging.disable(logging.CRITICAL)
    readers = Readers()
    ordinary = _seconds(readers.reply, "Subject: Re: Your turn\n\nplay 10\n\n> Your hand: 10\n")
    print(f"An ordinary reply is read in {ordinary * 1000:.3f} ms.\n\n{HEADING}", flush=True)
    missed, judged = 0, 0
    for shape in shapes():
        if shape.reader in (only.split(",") if only else [shape.reader]):
            cost = measured(shape, readers.of(shape))
            print(cost.row(ordinary), flush=True)
            missed, judged = missed + cost.misses(ordinary), judged + 1
    print(f"\n{judged} shapes, {missed} of them missed {MOST_RATIO} times for twice as much, ", end="")
    print(f"or {MOST_TIMES} times an ordinary reply.")
    return int(missed > 0)


def measured(shape: Shape, read: Reader) -> Cost:
    """Return what a shape costs in three sizes."""
    sizes = (shape.most // 4, shape.most // 2, shape.most)
    return Cost(shape, *(_seconds(read, shape.make(size)) for size in sizes))


def _seconds(read: Reader, text: str) -> float:
    """Return the processor time of the lightest round; heavy ones are not repeated."""
    took = list[float]()
    while len(took) < ROUNDS and sum(took) < 1:
        began = process_time()
        read(text)
        took.append(process_time() - began)
    return min(took)


class Readers:
    """The readers of foreign text, each by the name that shapes call it."""

    def __init__(self) -> None:
        self._numbers = count()

    def of(self, shape: Shape) -> Reader:
        """Return the reader of a shape; what it refuses is read too."""
        read: Callable[..., object] = getattr(self, shape.reader.replace(" ", "_").lower())
        name = {"name": shape.name.partition(",")[0]} if shape.reader == "header" else {}
        return lambda text: self._read(lambda written: read(written, **name), text)

    def _read(self, read: Reader, text: str) -> None:
        from django.core.exceptions import ValidationError

        from accounts.mail.own_addresses import NotOurs
        from accounts.mail.receiving import Unreadable
        from games.rules import InvalidRecord
        from games.services import Refused

        with suppress(ValidationError, NotOurs, Unreadable, InvalidRecord, Refused):
            read(text)

    # Mail

    def mail(self, text: str) -> None:
        """Find whom a message is for, and read it as a reply and as a report."""
        from accounts.mail.own_addresses import NotOurs, tagged
        from accounts.mail.receiving import receive, recipient_in_headers

        source = text.encode("utf-8", "surrogateescape")
        with suppress(NotOurs):
            recipient_in_headers(source)
        receive(tagged(self._mailbox, "benchmarks", 1), source)

    reply = mail

    @cached_property
    def _mailbox(self) -> str:
        from django.conf import settings

        from accounts.mail.bounces import failure_reported
        from accounts.mail.receiving import inbox, reading
        from games.replies.text import read_reply

        @inbox("benchmarks", setting="REPLY_ADDRESS", count=1)
        def take(_numbers: list[int], message: Any) -> None:
            with reading():
                failure_reported(message)
                read_reply(message)

        return str(settings.REPLY_ADDRESS)

    def answer(self, text: str) -> None:
        """Do what a reply to a turn email says."""
        from accounts.mail.receiving import receive
        from games.links import reply_address

        once = f"Message-ID: <{next(self._numbers)}@example.org>\n"  # the same message is not answered again
        receive(reply_address(self._decision), f"{once}{text}".encode())

    def own_address(self, text: str) -> None:
        from accounts.mail.receiving import require_ours

        require_ours(text)

    def lmtp_command(self, text: str) -> None:
        from accounts.mail.lmtp import _Session

        _Session.__new__(_Session)._getaddr(text)

    # Games

    @cached_property
    def _stage(self) -> Any:
        from tests.benchmarks.stage import set_stage

        return set_stage(games=0)

    @cached_property
    def _decision(self) -> Any:
        from games.links import LinkedDecision
        from tests.games.playing import decision_of

        game = self._stage.game
        asked = decision_of(game)
        return LinkedDecision(
            game.pk, asked.seat, game.table.seats.get(number=asked.seat).user_id, asked.decision_step
        )

    @cached_property
    def _view(self) -> Any:
        from games.models.replay import replayed_for
        from games.narration.seat_names import shown_names
        from games.presenters.position import Position

        game = self._stage.game
        return Position(
            game, replayed_for(game, 0), shown_names(game.table.all_seats(), self._stage.reader), 0, reader=0
        )

    def move(self, text: str) -> None:
        from games.narration.typed_names import matching
        from games.replies.chat_lines import message_in
        from games.replies.line_meanings import meaning_of

        for line in (text, f"play {text}", f"scarecrow {text}", f"bishop {text}"):
            meaning_of(line, self._view)
        message_in([f"to {text}", text])
        matching(text, self._view.names)

    def record(self, text: str) -> None:
        from games.rules import read_record
        from games.rules.jsonlines import parsed
        from games.rules.record import verify

        parsed(text.encode())
        found: Any = parsed(self._record.replace('"log"', f'"log": [{text}], "was"', 1).encode())
        found.pop("was", None)
        verify(read_record(found))

    @cached_property
    def _record(self) -> str:
        from games.rules import Options, record_json
        from games.rules.selfplay import selfplay_game

        return json.dumps(record_json(selfplay_game(Options(), 4, "hostile", 1)))

    # What people type

    def chat(self, text: str) -> None:
        from games.chat.forms.message_forms import MessageForm
        from games.chat.text_cleaning import cleaned

        cleaned(text)
        MessageForm({"text": text}).is_valid()

    def chat_page(self, text: str) -> None:
        from accounts.mail.captured_emails import with_links
        from accounts.mail.messages import wrapped
        from games.chat.search import _plain, excerpt
        from games.chat.text import rendered
        from games.chat.text_cleaning import cleaned

        words = cleaned(text)
        html = rendered(words)
        excerpt(_plain(html), words.split()[:5] or ["a"])
        with_links(words)
        wrapped(words)

    def name(self, text: str) -> None:
        from django.core.exceptions import ValidationError

        from accounts.mail.messages import one_line
        from accounts.mail.subjects import fit_subject, name_in_subject
        from accounts.names import clean_name
        from games.forms.typed_text import single_line

        single_line(text)
        fit_subject(name_in_subject(one_line(text)[:240]))
        with suppress(ValidationError):
            clean_name(text[:30])
        clean_name(text)

    def sheet(self, text: str) -> None:
        from games.leagues.services.player_list_rows import text_of
        from games.leagues.services.player_lists import read_players

        read_players(text_of(text.encode())[0], levels=3)

    def addresses(self, text: str) -> None:
        from games.forms.invitations import InviteForm

        InviteForm({"invited": text}).is_valid()

    def log(self, text: str) -> None:
        from condottiere_site.logs import without_tokens

        without_tokens(text)

    # Requests

    @cached_property
    def _client(self) -> Any:
        from django.conf import settings
        from django.test import Client

        client = Client(raise_request_exception=False)
        client.force_login(self._stage.reader, backend=settings.AUTHENTICATION_BACKENDS[0])
        return client

    def form(self, text: str) -> None:
        """Send a name, a table's words, a standing order and a list of people to invite."""
        from django.urls import reverse

        game = self._stage.game
        self._client.post(reverse("profile"), {"name": text, "language": text, "time_zone": text})
        self._client.post(
            reverse("new_table"), {"name": text, "invited": text, "size": text, "form_key": text}
        )
        self._client.post(
            reverse("game_order", args=[game.pk]), {"order": "fight", "cards": text, "limit": text}
        )
        self._client.post(reverse("account_login"), {"login": text, "password": text})

    def form_with_a_message(self, text: str) -> None:
        from django.urls import reverse

        self._client.post(reverse("chat", args=[self._stage.game.table_id]), {"text": text})

    @cached_property
    def _site(self) -> Any:
        from condottiere_site.wsgi import application

        return application

    def header(self, text: str, name: str = "") -> None:
        from django.test import RequestFactory

        cgi = name.upper().replace("-", "_")
        cgi = cgi if cgi == "CONTENT_TYPE" else f"HTTP_{cgi}"
        answer = self._site(RequestFactory()._base_environ(**{cgi: text}), lambda _status, _headers: None)
        b"".join(answer)
        answer.close()

    def query(self, text: str) -> None:
        self._client.get("/", QUERY_STRING=text)

    def path(self, text: str) -> None:
        self._client.get(text if text.startswith("/") else f"/{text}")

    def search(self, text: str) -> None:
        from django.urls import reverse

        self._client.get(f"{reverse('my_messages')}?{urlencode({'q': text})}")
