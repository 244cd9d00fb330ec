"""Emails that can be replied to, in every language of the site, and the ways in which programs quote them."""

from __future__ import annotations

import re
import struct
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from django.conf import settings
from django.core import mail
from hypothesis import strategies as st

from accounts import clock
from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail, SentWords
from accounts.mail.outbox import queue
from accounts.mail.receiving import receive
from accounts.mail.sent_words import Span, letters, spans_of
from games.models import Game, Seat
from games.replies.quotes import separated
from games.services.notifications import decision_key
from games.services.reminders import remind_due
from tests.games.playing import begin_game, play_until
from tests.people import proven
from tests.replies.additions import ATTRIBUTIONS, HEADS, PHONES
from tests.replies.programs import gmail, reply

KINDS = ("your_turn", "reminder", "waiting", "reply_receipt")
BLOCKS = {"br", "p", "div", "tr", "li", "ul", "h1", "h2", "h3", "table", "blockquote", "pre", "caption"}

PREFIXES = ("", "", "> ", ">", ">> ", "| ", "  ", "AB> ", "Anna> ", "* ", ": ", "» ", "# ", "\u200e> ")
OWN = (
    "I have 3, 3 and a Drummer",
    "Play 10 if you dare",
    "Your hand: must be bad",
    "hi",
    "10",
    "Pass or not?",
    "Siena is mine!",
    "My offer: Roma for Siena",
    "Good luck all, it’s your turn now",
    "(see you at 14:00)",
    "- one\n- two",
    "Zima, 3 i 10",
    "У меня зима и 10",
    "Anna played Winter, so what?",
    "…",
    "I wrote: nothing",
    "Since your last move, Bruno sleeps.",
    "Fight for Siena and I take Roma",
    "Bruno",
    "To win I need 2 regions; you need more",
    "Привет",
)


@dataclass(frozen=True)
class Sent:
    """An email as it was sent."""

    kind: str
    language: str
    text: str
    html: str

    def __repr__(self) -> str:
        return f"<{self.kind} {self.language}>"


@dataclass(frozen=True)
class Corpus:
    """Emails to one reader, and what the site keeps of their words."""

    reader: int
    emails: list[Sent] = field(repr=False)
    hashes: frozenset[bytes] = field(repr=False)
    common: frozenset[bytes] = field(repr=False)

    def find(self, texts: Sequence[str]) -> list[list[Span]]:
        return spans_of(self.reader, texts, lambda wanted: (wanted & self.hashes, wanted & self.common))


def corpora() -> list[Corpus]:
    """Return the emails to one reader for each language."""
    return [corpus_in(code) for code, _name in settings.LANGUAGES]


def corpus_in(language: str) -> Corpus:
    """Return the emails of some games to a reader of this language."""
    people = [proven(f"{name}.{language}@example.org", name.title()) for name in ("anna", "bruno", "carla")]
    for one in people:
        one.language, one.time_zone, one.every_move = language, "Europe/Rome", True
        one.save()
    games = [begin_game(people, name=f"Table {number}", pace="day") for number in range(2)]
    emails = list(_delivered(language, people[0]))
    for number, game in enumerate(games):
        play_until(game, lambda state, decision: decision.seat == 1 and state.ply > 3, seed=number)
        emails += _delivered(language, people[0])
        play_until(game, _asks_anna, seed=number)
        emails += _delivered(language, people[0])
    emails += _more(language, people[0], games)
    rows = SentWords.objects.filter(to_user=people[0])
    hashes, common = (
        frozenset(
            piece for row in rows.values_list(column, flat=True) for (piece,) in struct.iter_unpack("4s", row)
        )
        for column in ("hashes", "common_hashes")
    )
    assert {one.kind for one in emails} == set(KINDS)
    return Corpus(people[0].pk, emails, hashes, common - hashes)


def _asks_anna(state: Any, decision: Any) -> bool:
    return state.phase == "battle" and decision.seat == 0 and state.ply > 4


def _more(language: str, reader: Any, games: Sequence[Game]) -> Iterator[Sent]:
    """Yield a reminder, a digest of several games, and receipts."""
    moment = Seat.objects.filter(table=games[0].table, user=reader).get().remind_at
    with clock.use_clock(lambda: moment):
        remind_due(moment)
        yield from _delivered(language, reader)
    seats = Seat.objects.waiting_for(reader)
    decisions = {decision_key(one.game_pk, 0, one.decision_step): True for one in seats}
    queue("waiting", to=reader, key=f"waiting-{language}", context={"questions": decisions})
    yield from _delivered(language, reader)
    for words in ("what would you play?", "scarecrow", "winter", "say: hello", "pass"):
        turns = [email for email in LAST if email.to == [reader.email] and "Reply-To" in email.extra_headers]
        receive(turns[-1].extra_headers["Reply-To"], reply(gmail, turns[-1], words))
        yield from _delivered(language, reader)


LAST: list[Any] = []  # every email that left


def _delivered(language: str, reader: Any) -> Iterator[Sent]:
    mail.outbox.clear()
    deliver_due()
    LAST.extend(mail.outbox)
    kinds = dict(OutgoingEmail.objects.values_list("message_id", "kind"))
    for email in mail.outbox:
        kind = kinds[email.extra_headers["Message-ID"]]
        if email.to == [reader.email] and kind in KINDS:
            yield Sent(kind, language, str(email.body), str(email.alternatives[0][0]))


class _Text(HTMLParser):
    """HTML as text, as one of many programs makes it."""

    def __init__(self, link: str, image: str, cell: str) -> None:
        super().__init__()
        self.text, self.unread, self.links = "", 0, list[str]()
        self.link, self.image, self.cell = link, image, cell

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.unread += tag in ("style", "title")
        if tag in BLOCKS:
            self.text += "\n"
        elif tag == "img":
            self.text += self.image.format(dict(attrs).get("alt") or "")
        elif tag == "a":
            self.links.append(dict(attrs).get("href") or "")

    def handle_endtag(self, tag: str) -> None:
        self.unread -= tag in ("style", "title")
        if tag in BLOCKS:
            self.text += "\n"
        elif tag in ("td", "th"):
            self.text += self.cell
        elif tag == "a":
            self.text += self.link.format(self.links.pop())

    def handle_data(self, data: str) -> None:
        if not self.unread:
            self.text += re.sub(r"\s+", " ", data)


def html_as_text(html: str, link: str, image: str, cell: str) -> str:
    reader = _Text(link, image, cell)
    reader.feed(html)
    return re.sub(r" *\n\s*\n", "\n\n", reader.text).strip()


@st.composite
def texts(draw: Any, email: Sent) -> str:
    """Draw an email's text, or its HTML as text."""
    if draw(st.booleans()):
        return email.text
    link = draw(st.sampled_from(["", " <{}>", " [{}]", "<{}>", " ({})"]))
    image = draw(st.sampled_from(["", "[image: {}]", "{}", "[cid:map]"]))
    return html_as_text(email.html, link, image, draw(st.sampled_from([" ", "\t", "\n", " | "])))


def wrapped(text: str, width: int, *, is_hard: bool = True) -> str:
    lines = text.split("\n")
    return "\n".join(
        "\n".join(textwrap.wrap(line, width, break_long_words=is_hard) or [""]) for line in lines
    )


def reflowed(text: str) -> str:
    return "\n\n".join(" ".join(part.split()) for part in re.split(r"\n\s*\n", text))


def prefixed(text: str, prefix: str) -> str:
    return "\n".join(f"{prefix}{line}".rstrip() for line in text.split("\n"))


@st.composite
def bare_quotes(draw: Any, email: Sent) -> str:
    """Draw an email as a program quotes it, without a head."""
    text = draw(texts(email))
    if draw(st.booleans()):
        text = reflowed(text)
    if width := draw(st.sampled_from([0, 0, 20, 34, 60, 72, 78, 100]) | st.integers(10, 120)):
        text = wrapped(text, width)
    return prefixed(text, draw(st.sampled_from(PREFIXES)))


@st.composite
def quotes(draw: Any, email: Sent) -> str:
    """Draw what a program puts below a message: perhaps a footer and a head, then the email."""
    text = draw(bare_quotes(email))
    head = draw(st.sampled_from(["", *HEADS]) | st.sampled_from(ATTRIBUTIONS))
    if head in ATTRIBUTIONS and draw(st.booleans()):
        head = wrapped(head, draw(st.integers(40, 78)), is_hard=False)
    footer = draw(st.sampled_from(["", ""]) | st.sampled_from(PHONES))
    space = draw(st.sampled_from(["\n", "\n\n", "\n\n\n"]))
    return "\n\n".join(filter(None, [footer, space.join(filter(None, [head, text]))]))


MESSAGES = st.lists(st.sampled_from(OWN), min_size=1, max_size=4).map("\n".join) | st.lists(
    st.sampled_from(OWN), min_size=1, max_size=3
).map("\n\n".join)
BEGINNINGS = ["say: ", "to Bruno: ", "say:\n"]


def check_whole(corpora: list[Corpus], data: Any) -> None:
    """Check that a message above an email, quoted as one of all programs does, is whole and alone."""
    corpus = data.draw(st.sampled_from(corpora))
    message = data.draw(st.sampled_from(BEGINNINGS)) + data.draw(MESSAGES)
    quote = data.draw(quotes(data.draw(st.sampled_from(corpus.emails))))
    found = separated(f"{message}\n\n{quote}", corpus.find)
    assert "\n".join(found.lines) == message.replace(" \n", "\n").strip()
    assert found.may_be_sent(found.lines)


def check_part(corpora: list[Corpus], data: Any) -> None:
    """Check that no line of an email below a message is sent, where only some lines of it are quoted."""
    corpus = data.draw(st.sampled_from(corpora))
    message = data.draw(st.sampled_from(BEGINNINGS)) + data.draw(MESSAGES)
    quote = data.draw(bare_quotes(data.draw(st.sampled_from(corpus.emails)))).split("\n")
    begin = data.draw(st.integers(0, len(quote) - 1))
    part = quote[begin : begin + data.draw(st.integers(1, 12))]
    found = separated("\n".join([message, "", *part]), corpus.find)
    if found.may_be_sent(found.lines):
        sent = letters("\n".join(found.lines))
        for line in part:
            tells = len(letters(line)) >= 20 and not _is_common(letters(line))
            assert not tells or letters(line) in letters(message) or letters(line) not in sent, line


def _is_common(words: str) -> bool:
    """Return whether these are words that everyone may write: names, and what the reader typed before."""
    return any(common in words for common in ("condottierebyemail", "whatwouldyouplay"))
