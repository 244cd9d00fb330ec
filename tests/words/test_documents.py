"""Documents, docstrings and comments follow the style guide, and documents name what there is."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.core.management import get_commands

from tests.words.prose import CODE, ROOT, Text, documents, length, prose_of, remarks

pytestmark = pytest.mark.once

LONGEST_SENTENCE = 25
PRECISE = {"RULINGS.md"}  # its sentences are definitions, quoted by number

# What is wrong, and what to write for it.
TERMS = {
    r"\bwhoever\b": "anyone who, the player who",
    r"\be-mails?\b": "email",
    r"\bbeside\b": "next to, besides",
    r"\b(shall|anew|ere|meanwhile|deeds?|upon|be it|so too)\b": "plain modern English",
    r"\bnobody\b": "no one",
    r"\bby (itself|themselves)\b": "automatically",
    r"\b(is|are|was|were|be|been) told\b(?! apart)|\bto be had\b": "say who does what",
    r"\bcall(ed|s)? off\b": "cancel",
    r"\b(fingerprints?|bargains?|pledges?|ledger|watchers?|puzzles?)\b": "hash, deal, promise, spectator",
}
# The same, in documents alone.
TERMS_OF_DOCUMENTS = {
    r"\bcannot\b": "can’t",
    r"\bboards?\b(?! games?\b)": "map, or chat",
    r"\b(terms|pace|talk)\b": "settings, time per move, chat",
}
POLISH = re.compile(r"\b(Polish|przez) \*?e-mail")  # is spelled so
OF_A_MAN = re.compile(r"\b(he|his|him|himself)\b", re.I)
OF_A_CARD = re.compile(r"\b(Pope|Bishop)\b")  # men on their cards
WHO = re.compile(r"(?:^|[.!?]\s+)Who(?:m|ever)?\b[^.!?]*(?:[.!]|$)")
WHO_IN_A_SENTENCE = re.compile(r"(?:^|[.!?]\s+)Who(?:m|ever)?\b[^.!?]*[.!]")

QUOTED = re.compile(r"[“\"]([^”\"]+)[”\"]")
# What documents quote that is no text of the site.
EXAMPLES = {"Anna (12)", "Pass, thanks", "Sent from my phone", "Upgrading", "go and look"}
EXAMPLES |= {"pass", "play 10", "aside", "say: ..."}  # replies
PATH = re.compile(r"`((?:[\w.-]+/)*[\w.-]+\.(?:py|md|html|css|js|svg|txt|toml|sha256|lock))`")


@cache
def _documents() -> tuple[Text, ...]:
    return tuple(text for path in documents() for text in prose_of(path))


def _all() -> tuple[Text, ...]:
    return (*remarks(), *_documents())


def _words(text: Text) -> str:
    """Return the text without code, which has names in it."""
    return POLISH.sub("", CODE.sub("", text.words))


def test_there_is_something_to_read() -> None:
    assert len(_documents()) > 1000
    assert len(remarks()) > 8000


@pytest.mark.parametrize("wrong", TERMS)
def test_each_word_is_plain(wrong: str) -> None:
    found = re.compile(wrong, re.I)
    assert [
        f"{one.place}: {m[0]} (say: {TERMS[wrong]})" for one in _all() if (m := found.search(_words(one)))
    ] == []


@pytest.mark.parametrize("wrong", TERMS_OF_DOCUMENTS)
def test_documents_have_one_spelling_for_each_term(wrong: str) -> None:
    found = re.compile(wrong)
    read = [one for one in _documents() if one.path.name not in PRECISE]
    say = TERMS_OF_DOCUMENTS[wrong]
    assert [f"{one.place} (say: {say})" for one in read if found.search(_words(one))] == []


def test_no_one_is_taken_for_a_man() -> None:
    found = [one.place for one in _all() if OF_A_MAN.search(_words(one)) and not OF_A_CARD.search(one.words)]
    assert found == []


def test_a_sentence_that_starts_with_who_is_a_decision() -> None:
    assert [one.place for one in remarks() if WHO.search(one.words)] == []
    assert [one.place for one in _documents() if WHO_IN_A_SENTENCE.search(one.words)] == []


def test_sentences_of_documents_are_short() -> None:
    long = [
        f"{one.place}: {length(sentence)} words: {sentence}"
        for one in _documents()
        if one.path.name not in PRECISE
        for sentence in one.sentences
        if length(sentence) > LONGEST_SENTENCE
    ]
    assert long == []


def test_a_name_that_documents_quote_is_on_the_site() -> None:
    with (ROOT / "locale/en/LC_MESSAGES/django.po").open("rb") as file:
        catalogue = read_po(file)
    known = EXAMPLES | {message.context for message in catalogue}
    for message in catalogue:
        known |= set(message.id if isinstance(message.id, tuple) else (message.id,))
    assert [
        f"{one.place}: {name}"
        for one in _documents()
        if one.path.name not in PRECISE
        for name in QUOTED.findall(CODE.sub("", one.words))
        if name not in known
    ] == []


def test_a_file_that_documents_name_is_there() -> None:
    files = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.*") if "var" not in path.parts]
    assert [
        f"{path.relative_to(ROOT)}: {name}"
        for path in documents()
        for name in PATH.findall(path.read_text(encoding="utf-8"))
        if not any(f"/{file}".endswith(f"/{name}") for file in files)
    ] == []


def test_a_command_that_documents_name_is_there() -> None:
    commands = {*get_commands(), "play"}  # play is run before Django is there
    missing = []
    for path in documents():
        text = path.read_text(encoding="utf-8")
        missing += [name for name in re.findall(r"manage\.py (\w+)", text) if name not in commands]
        modules = re.findall(r"python -m ((?:tests|games)[\w.]*)", text)
        missing += [name for name in modules if not _is_started(ROOT / name.replace(".", "/"))]
    assert missing == []


def _is_started(path: Path) -> bool:
    return path.with_suffix(".py").exists() or (path / "__main__.py").exists()
