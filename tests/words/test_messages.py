"""What people read follows the style guide, and a translator can translate every message."""

from __future__ import annotations

import ast
import re

import pytest

from tests.words.messages import ROOT, calls, messages, programs

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
    r"\bto be had\b|\b(is|are|was|were|be) told\b": "say who does what",
    r"\b[Nn]obody\b": "no one",
    r"\bthe clocks?\b": "time per move, reserve, the site",
    r"\bpuzzle": "riddle",
    r"'": "the typographic apostrophe (’)",
    r"\b[Tt]yp(e|ed|es|ing)\b|\b[Gg]ive (a|the|your) (reason|name|code)\b": "enter",
    r"\b[Ss]hared hours?\b": "play date",
    r"\b[Ss]tep through\b": "replay",
}
# The rules keep "cannot": there it is what a player may not do.
OF_THE_RULES = ("games/rulebook/", "templates/rulebook/")

# What is counted after a number.
NOUNS = (
    "addresses|battles|borders|cards|characters|codes|days|divisions|emails|entries|games|holidays|hours|invitations|keys|"
    "kinds|leagues|messages|minutes|moves|organisers|people|places|players|points|regions|rounds|seats|sentences|shuffles|"
    "substitutes|tables|times|turns"
)
COUNTED = re.compile(rf"(?:%\(\w+\)[sd]|%(?:\(\w+\))?d(?: [a-z-]+)?)[ \u00a0](?:{NOUNS})\b")
FRACTION = "not a whole number"


def _all() -> list[tuple[str, str]]:
    """Return where each text is, in words, and the text."""
    return [(f"{message.place}: {text}", text) for message in messages() for text in message.texts]


def test_there_are_messages() -> None:
    assert len(messages()) > 4000


def test_no_one_is_taken_for_a_man() -> None:
    gendered = re.compile(r"\b(he|his|him|himself|she|her|hers)\b", re.I)
    assert [place for place, text in _all() if gendered.search(text) and not OF_A_CARD.search(text)] == []


def test_a_sentence_that_starts_with_who_is_a_decision() -> None:
    who = re.compile(r"(?:^|[.!?:]\s+)(Who(?:ever)?\b[^.!?]*(?:[.!]|$))")
    assert [place for place, text in _all() if who.search(text)] == []


@pytest.mark.parametrize("wrong", TERMS)
def test_each_term_has_one_spelling(wrong: str) -> None:
    found = re.compile(wrong)
    texts = [(place, OF_THE_ALPHABET.sub("", PLACEHOLDER.sub("", text))) for place, text in _all()]
    assert [f"{place} (say: {TERMS[wrong]})" for place, text in texts if found.search(text)] == []


def test_cannot_is_a_word_of_the_rules() -> None:
    found = [place for place, text in _all() if re.search(r"\bcannot\b", text)]
    assert [f"{place} (say: can’t)" for place in found if not place.startswith(OF_THE_RULES)] == []


def test_a_noun_after_a_number_has_its_plurals() -> None:
    """One noun in a message can follow its number, and a second one could not."""
    counted = [(m, len(COUNTED.findall(m.texts[-1]))) for m in messages() if m.context != FRACTION]
    assert [f"{m.place}: {m.texts[-1]}" for m, count in counted if count > len(m.texts) - 1] == []


# Never two days or more, so no one counts it in days.
HOURS_ALONE = {
    "accounts/code_requests.py",  # until midnight
    "games/leagues/selectors/season_rules.py",  # a constant of 24
}


def test_a_length_of_time_is_named_in_one_place() -> None:
    """So that no page says "72 hours" and another "3 days"."""
    hours = re.compile(r"%\(\w+\)d (?:more )?hours?\b")
    named = {m.place.partition(":")[0] for m in messages() if hours.search(m.texts[-1])}
    assert named - HOURS_ALONE == {"accounts/durations.py"}
    assert named > HOURS_ALONE


def test_one_word_says_where_it_is() -> None:
    """By a context; names that are stored, which can have none, by a comment."""
    alone = [m for m in messages() if len(m.texts[0].split()) == 1 and "%" not in m.texts[0]]
    assert [f"{m.place}: {m.texts[0]}" for m in alone if not m.context and not m.comments] == []


def test_every_placeholder_is_explained() -> None:
    """By a comment for translators, or by its name where that is unmistakable (MEANINGS)."""
    unsaid = [(m, name) for m in messages() for name, meaning in m.placeholders.items() if not meaning]
    assert [f"{m.place}: {name} in {m.texts[0]}" for m, name in unsaid] == []


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
