"""What people read keeps to the style guide, and a translator can translate every message."""

from __future__ import annotations

import ast
import re
from functools import cache

import pytest

from tests.words.messages import ROOT, Message, calls, messages, programs

pytestmark = pytest.mark.once

# The Pope and the Bishop are men on their cards.
OF_A_CARD = re.compile(r"\b(Pope|Bishop)\b")

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
# A letter of the alphabet.
OF_THE_ALPHABET = re.compile(r"One letter has|or its letter")

# One spelling for each term; what is wrong, and what is right.
TERMS = {
    r"\b[Ee]-mails?\b": "email",
    r"\bletters?\b": "email, or sealed note",
    r"\b[Bb]oards?\b(?! games?\b)": "map, or chat",
    r"\b[Ww]hoever\b": "players who, anyone who",
    r"\bwatchers?\b": "spectator",
    r"\bfingerprint": "commitment",
    r"\bbargain": "deal",
    r"\bpledge": "promise",
    r"\bledger": "deals page",
    r"\bcall(ed|s)? off\b": "cancel",
    r"\bby (itself|themselves)\b": "automatically",
    r"\b(shall|anew|ere|beside|meanwhile|deeds?)\b": "plain modern English",
    r"\bto be had\b": "say who does what",
    r"\bpuzzle": "riddle",
}


@cache
def _all() -> tuple[Message, ...]:
    return tuple(messages())


def test_there_are_messages() -> None:
    assert len(_all()) > 2500


def test_nobody_is_taken_for_a_man() -> None:
    gendered = re.compile(r"\b(he|his|him|himself|she|her|hers)\b", re.I)
    assert [str(m) for m in _all() if gendered.search(m.text) and not OF_A_CARD.search(m.text)] == []


def test_a_sentence_that_starts_with_who_is_a_question() -> None:
    who = re.compile(r"(?:^|[.!?:]\s+)(Who(?:ever)?\b[^.!?]*(?:[.!]|$))")
    assert [str(m) for m in _all() if who.search(m.text)] == []


@pytest.mark.parametrize("wrong", TERMS)
def test_each_term_has_one_spelling(wrong: str) -> None:
    found = re.compile(wrong)
    texts = [(message, PLACEHOLDER.sub("", message.text)) for message in _all()]
    guilty = [message for message, text in texts if found.search(OF_THE_ALPHABET.sub("", text))]
    assert [f"{message} (say: {TERMS[wrong]})" for message in guilty] == []


def test_no_message_is_put_together_from_pieces() -> None:
    """No gettext call stands in an f-string, in a sum or in the list of a join."""
    guilty = []
    for path, tree in programs():
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr) or (
                isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add)
            ):
                guilty += [f"{path.relative_to(ROOT)}:{call.lineno}" for call in calls(node)]
    assert guilty == []
