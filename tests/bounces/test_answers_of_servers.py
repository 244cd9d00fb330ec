"""Which answers blame the address: a table in the manner of providers, and words that must never do so."""

import random
import re
import smtplib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounts.mail.answers import blames_address
from accounts.mail.bounces import Failure
from accounts.mail.smtp_failures import Delayed, EmailRefused, NoSuchAddress, ServerDown, meaning_of


def rows(sign: str) -> list[tuple[str, str]]:
    """Return the answers of the table that begin so, each with its reported status, or ""."""
    table = (Path(__file__).parent / "answers.txt").read_text().splitlines()
    found = (line[2:].replace("\\n", "\n").partition(" | ") for line in table if line.startswith(sign))
    return [(words, status) for words, _bar, status in found]


OF_THE_ADDRESS, OF_SOMETHING_ELSE = rows("+"), rows("-")
ALL = [*OF_THE_ADDRESS, *OF_SOMETHING_ELSE]
BLAMED = ("5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1")
KNOWN = [re.sub(r"^\d{3}[ -]", "", words) for words, _status in OF_THE_ADDRESS]

# What an answer about anything but the address says, in part.
OTHERS = """
your IP is listed | the sender is unknown | sender address rejected | sending IP banned
client host blocked | on our block list | on a blacklist | in an RBL | listed by Spamhaus | SURBL listed
Barracuda says no | poor reputation | low score | compromised host | no PTR record | no reverse DNS
sender untrusted | HELO rejected | IPv6 not accepted here | dial-up host | residential range
your server is dynamic | from your network | return path rejected | mail from rejected
connection refused | STARTTLS first | SPF check failed | DKIM signature invalid | DMARC policy of reject
not authenticated | authentication required | TLS required | message contains a virus | trojan found
infected | content rejected | spam detected | heuristics say no | looks like phishing
attachment type not allowed | suspicious link | quarantined | bulk mail | unsolicited message
unwelcome message | filtered as junk | bad header | message too large | size limit | policy violation
policy reasons | administratively prohibited | access denied | not allowed | not permitted
not authorized | members only | moderated | relay denied | relaying not possible | blocked
complaints about your domain | mail loop | too many hops | quota exceeded | mailbox full
out of storage | capacity reached | rate limited | too many recipients | too many messages
sending limit | throttled | greylisted | temporarily unavailable | try again later | temporary failure
timed out | sending paused
"""
OTHER_WORDS = [" ".join(words.split()) for words in re.split(r"[|\n]", OTHERS.strip())]


@pytest.mark.parametrize(("words", "status"), OF_THE_ADDRESS)
def test_an_answer_about_the_address_blames_it(words: str, status: str) -> None:
    assert blames_address(words, status)


@pytest.mark.parametrize(("words", "status"), OF_SOMETHING_ELSE)
def test_an_answer_about_anything_else_does_not(words: str, status: str) -> None:
    assert not blames_address(words, status)


def test_the_table_is_long_and_no_row_comes_twice() -> None:
    assert len(ALL) == len(set(ALL)) > 150


@pytest.mark.parametrize(("words", "status"), ALL)
def test_the_same_rule_holds_at_each_step_of_smtp_and_in_reports(words: str, status: str) -> None:
    blamed = blames_address(words, status)
    assert Failure(status, words).blames_address == blamed
    code = re.match(r"(\d{3})[ -](.*)", words, re.DOTALL)
    if code is None or status:
        return
    answer = re.sub(r"\n\d{3}[ -]", "\n", code[2]).encode()  # as smtplib joins lines
    for error in (
        smtplib.SMTPRecipientsRefused({"anna@example.org": (int(code[1]), answer)}),
        smtplib.SMTPDataError(int(code[1]), answer),
    ):
        meaning = meaning_of(error)
        assert isinstance(meaning, NoSuchAddress) == blamed
        assert isinstance(meaning, EmailRefused if code[1][0] == "5" else (Delayed, ServerDown))


@st.composite
def answers_about_others(draw: st.DrawFn) -> str:
    """Return an answer that names an unknown address, perhaps, and something else."""
    pieces = [draw(st.sampled_from(OTHER_WORDS))]
    pieces += draw(st.lists(st.sampled_from(KNOWN), max_size=2))
    pieces += draw(st.lists(st.sampled_from(OTHER_WORDS), max_size=1))
    random.Random(draw(st.integers(0, 99))).shuffle(pieces)
    words = draw(st.sampled_from([" ", "; ", ". ", ", ", " - ", "\n", " ("])).join(pieces)
    words = draw(st.sampled_from([str, str.upper, str.title, str.lower]))(words)
    code = draw(st.sampled_from(["550 ", "554 ", "550-", "553 ", "552 ", ""]))
    return code + draw(st.sampled_from(["", *(f"{status} " for status in BLAMED)])) + words


@given(words=answers_about_others(), status=st.sampled_from(["", "5.0.0", "5.5.0", "5.4.4", *BLAMED]))
def test_words_about_sender_reputation_content_or_policy_never_blame_the_address(
    words: str, status: str
) -> None:
    assert not blames_address(words, status)


@given(st.text(max_size=300), st.text(max_size=12))
def test_any_answer_is_read(words: str, status: str) -> None:
    assert blames_address(words, status) in (True, False)


@pytest.mark.parametrize("piece", ["<", "a@", "@", "1.", "host a[", "550 ", "no such ", " ", "x", "is on a "])
def test_a_long_answer_is_read_no_further_than_its_beginning(piece: str) -> None:
    late = "550 " + piece * (100_000 // len(piece))
    assert blames_address(late + " 5.7.1") == blames_address(late)
