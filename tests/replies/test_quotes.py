"""However an email is quoted below a message, the message is whole and holds nothing of the email."""

from __future__ import annotations

from email.message import EmailMessage
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.mail.sent_words import letters
from games.replies.quotes import own_words, separated
from games.replies.text import read_reply
from tests.clocks.passing import Wall
from tests.replies import quoting
from tests.replies.additions import ATTRIBUTIONS, HEADS, PHONES
from tests.replies.quoting import OWN, Corpus, Sent, corpus_in
from tests.shared import built_once

pytestmark = [pytest.mark.once, pytest.mark.usefixtures("db")]

built, db = built_once(lambda: [corpus_in("en")], Wall())

one_world = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@one_world
@given(st.data())
def test_the_message_above_any_quote_is_whole_and_alone(built: list[Corpus], data: Any) -> None:
    quoting.check_whole(built, data)


@one_world
@given(st.data())
def test_no_line_of_a_quote_that_was_shortened_is_sent(built: list[Corpus], data: Any) -> None:
    quoting.check_part(built, data)


def kinds(built: list[Corpus]) -> dict[str, Sent]:
    return {email.kind: email for email in built[0].emails}


def test_every_email_that_can_be_replied_to_is_known_again_as_a_whole(built: list[Corpus]) -> None:
    for email in built[0].emails:
        text = letters(email.text)
        assert built[0].find([text]) == [[(0, len(text))]], email


@pytest.mark.parametrize("kind", quoting.KINDS)
@pytest.mark.parametrize("head", ["", *HEADS], ids=range(len(HEADS) + 1))
def test_a_quote_of_html_alone_ends_a_message(built: list[Corpus], kind: str, head: str) -> None:
    email, message = kinds(built)[kind], EmailMessage()
    words = head.replace("<", "&lt;").replace("\n", "<br>")
    message.set_content(f"<div>say: hi</div><div><br></div><p>{words}</p>{email.html}", subtype="html")
    found = read_reply(message, built[0].find)
    assert found is not None
    assert found.lines == ("say: hi",)


@pytest.mark.parametrize("words", OWN)
def test_what_people_write_about_cards_goes_through(built: list[Corpus], words: str) -> None:
    for text in (f"say: {words}", f"say: hi\n\n{words}\n\nand so on", f"say: hi\n{words}"):
        found = separated(text, built[0].find)
        assert "\n".join(found.lines) == text
        assert found.may_be_sent(found.lines)


@pytest.mark.parametrize("attribution", ATTRIBUTIONS)
@pytest.mark.parametrize("width", [28, 40, 60, 76, 200])
def test_who_wrote_the_quoted_email_is_no_part_of_a_message(
    built: list[Corpus], attribution: str, width: int
) -> None:
    said = quoting.wrapped(attribution, width, is_hard=False)
    text = kinds(built)["your_turn"].text
    for quote in (quoting.prefixed(text, "> "), text, "> words that are no email of ours"):
        for between in ("\n", "\n\n"):
            assert own_words(f"say: hi\n\nall\n\n{said}{between}{quote}", built[0].find) == [
                "say: hi",
                "",
                "all",
            ]


@pytest.mark.parametrize("footer", PHONES)
def test_what_a_phone_adds_is_no_part_of_a_message(footer: str) -> None:
    for quote in ("", f"\n\n{ATTRIBUTIONS[0]}\n\n> words"):
        assert own_words(f"say: hi\n\nall\n\n{footer}{quote}") == ["say: hi", "", "all"]


@pytest.mark.parametrize(
    "line",
    [
        "Sent with love",
        "We sent the Pope to Siena",
        "My phone rang",
        "Get out of Siena!",
        "Posted: nothing",
        "I got 10 from Bruno",
    ],
)
def test_what_a_phone_might_have_written_stays_in_a_message(line: str) -> None:
    text = ["say: hi", "", line, "", "bye"]
    assert own_words("\n".join(text)) == text
    assert own_words("\n".join([*text[:3], "", "> quote"])) == text[:3]
