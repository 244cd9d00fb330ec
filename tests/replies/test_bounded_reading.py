"""Whatever arrives, what searches it is given little: no pattern takes long, and no one waits for a reply."""

from __future__ import annotations

import encodings
import importlib
import pkgutil
import re
from contextlib import suppress
from types import ModuleType, SimpleNamespace
from typing import Any

import nh3
import pytest
from mailparser_reply import parser

import games.replies
from accounts.mail import receiving
from accounts.mail.own_addresses import NotOurs, tagged
from accounts.mail.receiving import Unreadable, receive, recipient_in_headers
from games.chat.models import Message
from games.models import Game
from games.replies.alike import SEARCHED
from games.replies.html_text import MOST_TAGS, as_text
from games.replies.message_text import MOST_BYTES, MOST_CHARACTERS, _from_charset
from games.replies.text import read_reply
from tests.benchmarks.shapes import FIELDS, PAGES, STRUCTURES, TEXTS, shapes
from tests.replies.conftest import delivered, turn_email
from tests.replies.programs import gmail, reply

SIZES = (10_000, 200_000)  # read to its end, and not
# The most characters that a pattern is given, where it is more than the beginning of a line. Each of these
# looks at a character a bounded number of times.
MOST_GIVEN = {
    "_MESSAGE_ID": receiving.LONGEST_FIELD,
    "_ROBOTS": receiving.LONGEST_FIELD,
    "_METHOD": 2000,
    "_CHAT": MOST_CHARACTERS,
    "_REPEATED": MOST_BYTES,
}
MOST_OF_CLEANER = 2 * MOST_BYTES  # some tags get longer names before

FEEDBACK = b"Content-Type: multipart/report; report-type=feedback-report\n"
HOSTILE = [(shape.name, shape.make) for shape in shapes() if shape.reader in ("reply", "mail")]


def modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.iter_modules(games.replies.__path__, "games.replies.")]
    return [importlib.import_module(name) for name in names]


class Watched:
    """A pattern that notes the longest text that it was given."""

    def __init__(self, pattern: re.Pattern[Any], given: list[int]) -> None:
        self._pattern, self._given = pattern, given

    def __getattr__(self, name: str) -> Any:
        def method(*args: Any, **kwargs: Any) -> Any:
            text = args[1] if name in ("sub", "subn") else args[0]
            self._given.append(len(text))
            return getattr(self._pattern, name)(*args, **kwargs)

        return method


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """Return how much each pattern of the readers of replies is given from now on, by its name."""
    found: dict[str, list[int]] = {}
    for module in modules():
        for name, pattern in list(vars(module).items()):
            if isinstance(pattern, re.Pattern):
                monkeypatch.setattr(module, name, Watched(pattern, found.setdefault(name, [])))
    return found


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts in which the parser of quotes looks from now on."""
    texts, real = list[str](), parser.EmailMessage.read

    def read(self: Any) -> Any:
        texts.append(self.text)
        return real(self)

    monkeypatch.setattr(parser.EmailMessage, "read", read)
    return texts


@pytest.fixture
def cleaned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the HTML that the cleaner is given from now on."""
    pages = list[str]()

    def clean(html: str, **how: Any) -> str:
        pages.append(html)
        return nh3.clean(html, **how)

    monkeypatch.setattr("games.replies.html_text.nh3", SimpleNamespace(clean=clean))
    return pages


def read(source: str) -> None:
    try:
        read_reply(receiving._message(source.encode("utf-8", "surrogateescape")))
    except (RecursionError, Unreadable):
        return


@pytest.mark.parametrize(("name", "make"), HOSTILE, ids=[name for name, _make in HOSTILE])
def test_nothing_searches_more_than_it_can_in_no_time(
    name: str, make: Any, given: dict[str, list[int]], parsed: list[str], cleaned: list[str]
) -> None:
    assert {"_MESSAGE_ID", "_ROBOTS", "_CHAT", "_AFTER_REPLY"} <= set(given)
    for size in SIZES:
        read(make(size))
    most = {name: max(lengths) for name, lengths in given.items() if lengths}
    assert {name: length for name, length in most.items() if length > MOST_GIVEN.get(name, SEARCHED)} == {}
    for text in parsed:
        assert len(text) <= MOST_CHARACTERS
        assert max(map(len, text.split("\n"))) <= SEARCHED
        assert "\n\n\n" not in text
    for page in cleaned:
        assert page.count("<") <= MOST_TAGS
        assert len(page) <= MOST_OF_CLEANER
        assert not re.search(r"<(b|font|i|a|html|body)[\s>]", page)


def test_there_are_many_shapes_for_every_reader() -> None:
    all_shapes = list(shapes())
    assert len(all_shapes) >= 60
    assert len({shape.reader for shape in all_shapes}) >= 15
    assert all(
        len(shape.make(1000)) <= 4000 for shape in all_shapes if shape.name != "lines under nested parts"
    )
    assert len(TEXTS) + len(PAGES) + len(STRUCTURES) + len(FIELDS) > 60


def test_messages_with_too_many_lines_boundaries_or_long_fields_are_cut_or_refused() -> None:
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=%d\n\n--%d\n" % (n, n) for n in range(60))
    with pytest.raises(Unreadable, match="too many parts"):
        receiving._message(nested + b"\n" * 100_000)
    assert "boundary" * 100 in str(receiving._message(b"Subject: x\n\n" + b"boundary" * 100).get_payload())
    message = receiving._message(b"Content-Type: text/plain" + b";" * 100_000 + b"\nSubject: x\n\npass")
    assert len(str(message["Content-Type"])) <= receiving.LONGEST_PARAMETERS
    assert str(receiving._message(b"Subject: x\n\n" + b"\n" * 100_000).get_payload()).count("\n") <= (
        receiving.MOST_LINES
    )


@pytest.mark.parametrize("field", ["To", "Cc", "Delivered-To", "X-Original-To"])
@pytest.mark.parametrize("unit", ["(", "<", '"', "a(", "\\", "[", ":;"])
def test_no_recipient_breaks_its_reader(settings: Any, field: str, unit: str) -> None:
    settings.REPLY_ADDRESS, settings.BOUNCE_ADDRESS = "reply@testserver", "bounces@testserver"
    bad = f"{field}: {unit * 500}\n".encode()
    with pytest.raises(NotOurs):
        recipient_in_headers(bad + b"\npass")
    with pytest.raises((NotOurs, Unreadable)):
        recipient_in_headers(FEEDBACK + f"{field}: {unit * 2000}\n\nspam".encode())
    ours = tagged("reply@testserver", "unsubscribe", 1, 2, 3, 4)
    assert recipient_in_headers(bad + f"To: Us <{ours}>, b@example.org\n\npass".encode()) == ours


# The receipt says what was not read, and nothing is lost


pytestmark = pytest.mark.django_db


def moves(game: Game) -> list[str]:
    return list(game.log.exclude(seat=None).values_list("move", flat=True))


TOO_LONG = "Your reply is longer than we can read. Nothing was changed."


@pytest.mark.parametrize(
    ("only", "words"),
    [
        ("text", "siena\n" + "and so on\n" * 2000),
        ("text", "say: " + "hello " * 3000),
        ("html", "siena\n" + "a\n" * 6000),
    ],
)
def test_a_reply_that_goes_on_beyond_what_is_read_is_refused(
    game: Game, replied: Any, only: str, words: str
) -> None:
    (receipt,) = replied(turn_email(), words, only=only)
    assert TOO_LONG in receipt.body
    assert moves(game) == []


def test_html_that_nests_deeply_is_refused_and_the_words_above_it_are_read(game: Game) -> None:
    email = turn_email()
    head = b"Message-ID: <%d@example.org>\nContent-Type: text/html\n\n"
    receive(email.extra_headers["Reply-To"], head % 1 + b"<div>" * 40_000 + b"siena")
    assert [TOO_LONG in one.body for one in delivered()] == [True]
    assert moves(game) == []
    page = b"siena<div class='gmail_quote'>" + b"<div>" * 40_000 + b"x"
    receive(email.extra_headers["Reply-To"], head % 2 + page)
    assert moves(game) == ["place siena"]


def test_a_long_quote_costs_nobody_their_words(game: Game, replied: Any) -> None:
    email = turn_email()
    email.body += "\nand so on" * 20_000
    replied(email, "siena", only="text")
    assert moves(game) == ["place siena"]


def test_empty_lines_are_squeezed_and_paragraphs_stay() -> None:
    source = b"Subject: x\n\nsay: one\n\n\n \n\xc2\xa0\n\xe2\x80\x8b\n\ntwo"
    found = read_reply(receiving._message(source))
    assert found is not None
    assert found.lines == ("say: one", "", "two")


def test_formatting_is_no_more_than_words() -> None:
    text, is_whole = as_text(
        "<html><body><p>I <b>hold</b> <FONT color=red>Siena</FONT><br/><a href=x>now</a></p>"
    )
    assert (text.split("\n")[1:3], is_whole) == (["I hold Siena", "now"], True)
    assert read_reply(receiving._message(gmail_html())) is not None


def test_no_character_set_leaves_halves_of_characters() -> None:
    """They can't be stored."""
    halves = b"+2AA-", b"\xed\xa0\x80", b"\xd8\x00", b"\x00\xd8", b"\x00\xd8\x00\x00", b"\\ud800"
    texts = list[str]()
    for charset in (found.name for found in pkgutil.iter_modules(encodings.__path__)):
        for half in halves:
            with suppress(LookupError, ValueError):
                texts.append(_from_charset(half, charset))
    assert len(texts) > 100
    assert [text for text in texts if re.search("[\ud800-\udfff]", text)] == []


def test_a_message_with_halves_of_characters_is_written(game: Game) -> None:
    head = b"Message-ID: <1@example.org>\nContent-Type: text/plain; charset=utf-7\n\n"
    receive(turn_email().extra_headers["Reply-To"], head + b"say: Hello +2AA-")
    assert Message.objects.get().text == "Hello ?"


def gmail_html() -> bytes:
    email: Any = SimpleNamespace(
        body="x",
        alternatives=[("<p>x</p>", "")],
        to=["anna@example.org"],
        subject="x",
        extra_headers={"Reply-To": "reply+1@testserver", "Message-ID": "<email-1@testserver>"},
    )
    return reply(gmail, email, "pass", only="html")
