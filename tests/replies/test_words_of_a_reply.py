"""What a person wrote in a reply, whatever their mail program puts around it; and what no person wrote."""

from __future__ import annotations

import encodings
from email import message_from_bytes
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.replies.quotes import own_words
from games.replies.text import read_reply
from tests.replies.programs import PROGRAMS, Program, gmail, reply, thunderbird_below

pytestmark = pytest.mark.once

HAND = "Heroine"
TEXT = f"Play a card or pass. Move by Friday.\n\nYour hand: 10, {HAND}\n\n  Play 10  http://testserver/answer/x/\n"
EMAIL: Any = SimpleNamespace(
    body=TEXT,
    alternatives=[
        (f"<html><head><style>p{{}}</style></head><body><h2>Your hand</h2><p>{HAND}</p></body></html>", "")
    ],
    to=["anna@example.org"],
    subject="Your turn: Table 42",
    extra_headers={"Reply-To": "reply+1@testserver", "Message-ID": "<email-1@testserver>"},
)


def read(source: bytes) -> Any:
    return read_reply(message_from_bytes(source))


@pytest.mark.parametrize("only", ["text", "html", ""])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_every_program_gives_the_words_and_nothing_it_quotes(program: Program, only: str) -> None:
    found = read(reply(program, EMAIL, "play 10\nsay: I hold\n\nthe bridge", only=only))
    if program is thunderbird_below:
        assert (found.lines, found.below) == ((), "play 10")
    else:
        assert [line for line in found.lines if line] == ["play 10", "say: I hold", "the bridge"]
    assert HAND not in str(found)


@pytest.mark.parametrize(
    "text",
    [
        "pass\r\n\r\n-----Original Message-----\r\nFrom: x\r\n" + TEXT,
        "pass\n\n-------- Исходное сообщение --------\nОт: " + TEXT,
        "pass\nVon meinem iPhone gesendet\n\n" + TEXT,
        "pass\n\n-- \nAnna\n" + TEXT,
        "\n\n  pass  \n\nDe : condottiere@testserver\nEnvoyé : lundi 23 novembre 2026 14:00\n" + TEXT,
    ],
)
def test_no_quote_is_taken_for_the_reply(text: str) -> None:
    assert own_words(text.replace("\r\n", "\n")) == ["pass"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied (vacation)"},
        {"Auto_Submitted": "auto-generated"},
        {"Precedence": "bulk"},
        {"X_Autoreply": "yes"},
        {"Return_Path": "<>"},
        {"List_Id": "<game-1.testserver>"},
        {"From": "MAILER-DAEMON@example.org"},
    ],
    ids=str,
)
def test_what_programs_send_is_no_reply(headers: dict[str, str]) -> None:
    assert read(reply(gmail, EMAIL, "pass", **headers)) is None
    assert read(reply(gmail, EMAIL, "pass", Auto_Submitted="no")).lines == ("pass",)


def test_a_bounce_is_no_reply() -> None:
    report = b"Content-Type: multipart/report; boundary=x\r\n\r\n--x\r\n\r\npass\r\n--x--"
    assert read(report) is None


def mime(kind: str, body: bytes) -> bytes:
    return b"From: a@b.example\r\nMessage-ID: <1@b>\r\nContent-Type: " + kind.encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (mime("text/plain; charset=no-such-set", b"pass"), ("pass",)),
        (mime("text/plain; charset=us-ascii", "zimą".encode()), ("zimą",)),
        (mime("text/plain; charset=utf-8", b"pass\xff"), ("passÿ",)),
        (mime("text/plain; charset=zip", b"pass"), ("pass",)),
        (mime("image/png", b"pass"), ()),
        (mime("text/plain", b""), ()),
        (mime("multipart/mixed", b"pass"), ()),
        (mime("multipart/mixed; boundary=y", b"--y\r\n\r\n--y\r\n\r\npass\r\n" * 500), ("pass",)),
        (
            mime(
                "multipart/mixed; boundary=y",
                b"--y\r\nContent-Type: message/rfc822\r\n\r\nSubject: x\r\n\r\npass\r\n--y--",
            ),
            (),
        ),
        (
            mime(
                "multipart/mixed; boundary=y",
                b"--y\r\nContent-Disposition: attachment\r\n\r\npass\r\n--y\r\n\r\nfail\r\n--y--",
            ),
            ("fail",),
        ),
    ],
    ids=range(10),
)
def test_odd_mail_is_read_as_far_as_is_safe(source: bytes, words: tuple[str, ...]) -> None:
    assert read(source).lines == words


def test_the_same_message_is_known_again_and_no_other() -> None:
    first, second = (reply(gmail, EMAIL, "pass") for _ in range(2))
    assert read(first).digest == read(b"Received: again\r\n" + first).digest != read(second).digest


@pytest.mark.parametrize(
    "charset",
    ["idna", "undefined", "punycode", "unicode-escape", "hex", "rot13", "koi8-u", "x-mac", '"', "\xff"],
)
@pytest.mark.parametrize("name", ["charset", "charset*", "charset*0"])
def test_words_are_read_whatever_the_character_set_is_called(charset: str, name: str) -> None:
    """Python decodes a text in whatever codec is named, where nothing asks for its bytes."""
    named = f"utf-8''{charset}" if name == "charset*" else charset
    assert read(mime(f"text/plain; {name}={named}", "pass\n\nDziękuję".encode())).lines[0] == "pass"


@pytest.mark.parametrize(
    ("form", "name"), [("charset={}", "one"), ("charset*={}''utf-8", "two"), ("charset*=utf-8''{}", "three")]
)
def test_no_name_of_a_character_set_is_kept(form: str, name: str) -> None:
    """Python keeps each name that it's asked for, also unknown ones: memory that any sender could fill."""
    kept = vars(encodings)["_cache"]
    assert read(mime("text/plain; charset=utf-8", b"pass")).lines == ("pass",)
    before = len(kept)
    assert read(mime(f"text/plain; {form.format(f'no-such-set-{name}')}", b"pass")).lines == ("pass",)
    assert len(kept) == before


@given(st.text(alphabet=st.sampled_from("aOn>:-_\n \t@0wrote4<.é"), max_size=400))
def test_any_text_is_read(text: str) -> None:
    assert all(line[:1] != ">" for line in own_words(text))
