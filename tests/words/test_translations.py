"""Every language's catalogue is complete, and fills and marks up its messages as the English does."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po
from django.conf import settings

from accounts.mail.models import LONGEST_SUBJECT
from tests.catalogues import SOURCE, folder_of
from tests.words.messages import messages

pytestmark = pytest.mark.once
LANGUAGES = [code for code, _name in settings.LANGUAGES if code != SOURCE]
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd%]|\{\w*\}")
MARKUP = re.compile(r"</?[a-z][^>]*>|&[a-z]+;")


@cache
def catalogue(language: str) -> Catalog:
    with (folder_of(language) / "django.po").open("rb") as file:
        return read_po(file, locale=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_translated_whole(language: str) -> None:
    found = catalogue(language)
    assert [fault for message in found if message.id for fault in _faults(message, found.num_plurals)] == []


def _faults(message: Message, forms: int) -> Iterator[str]:
    english = [message.id] if isinstance(message.id, str) else list(message.id)
    string = message.string or ""
    said = [string] if isinstance(string, str) else list(string)
    if message.fuzzy or not all(said):
        yield f"not translated: {english[0]}"
    elif len(said) != (1 if len(english) == 1 else forms):
        yield f"{len(said)} plural forms: {english[0]}"
    else:
        yield from (f"{why}: {text}" for text in said for why in _differences(english, text))


def _differences(english: list[str], text: str) -> Iterator[str]:
    needed, known = set(PLACEHOLDER.findall(english[0])), set(PLACEHOLDER.findall(" ".join(english)))
    if not needed <= set(PLACEHOLDER.findall(text)) <= known:
        yield "placeholders"
    if Counter(MARKUP.findall(text)) != Counter(MARKUP.findall(english[-1])):
        yield "markup"
    if (text[:1] == "\n", text[-1:] == "\n") != (english[0][:1] == "\n", english[0][-1:] == "\n"):
        yield "line ends"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_message_fits_only_men_or_only_women(language: str) -> None:
    """Endings in brackets or after a slash, such as "zagrał(a)", are no way to say it either."""
    ending = re.compile(r"\w\((a|y|i|а|ы|и|ла)\)|\w/(a|а|ła|ла)\b")
    texts = [str(message.string) for message in catalogue(language)]
    assert [text for text in texts if ending.search(text)] == []


@pytest.mark.parametrize(
    ("language", "preposition"), [("pl", "do|od|na|po|dnia|przed"), ("ru", "до|с|со|от|на|после")]
)
def test_no_date_follows_a_preposition(language: str, preposition: str) -> None:
    """Its weekday is a nominative, so it stands after a colon, in brackets or alone."""
    wrong = []
    for message in catalogue(language):
        comments = " ".join(message.auto_comments)
        for text in [message.string] if isinstance(message.string, str) else message.string or ():
            names = re.findall(rf"(?i)\b(?:{preposition})\s%\((\w+)\)s", text)
            wrong += [text for name in names if re.search(rf"\b{name} is a (?:date|day|moment)\b", comments)]
    assert wrong == []


ALONE = ("% wygr.", "и\xa0др.")  # a column's heading, and the end of a subject


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_stands_inside_a_sentence_ends_with_no_full_stop(language: str) -> None:
    """An abbreviation's stop came before the sentence's: “2 dni 23 godz..”."""
    wrong = []
    for message in catalogue(language):
        english = message.id if isinstance(message.id, str) else message.id[-1]
        for text in [message.string] if isinstance(message.string, str) else message.string or ():
            is_open = bool(english) and english[-1] not in ".!?…:"
            wrong += [text] if is_open and text.endswith(".") and not text.endswith(ALONE) else []
    assert wrong == []


def test_no_line_of_russian_begins_with_a_dash() -> None:
    """A non-breaking space stands before each."""
    assert [text for message in catalogue("ru") if " —" in (text := str(message.string))] == []


def test_russian_has_the_letter_yo_only_where_all_and_everything_differ() -> None:
    """One spelling in all texts: that of books and newspapers, as in the printed rules."""
    texts = [str(message.string) for message in catalogue("ru") if message.context != "alphabet"]
    words = re.findall(r"\w*ё\w*", " ".join(texts).lower())
    assert set(words) - {"всё"} == set()


@pytest.mark.parametrize("language", ["pl", "ru"])
def test_readers_are_addressed_without_a_capital_in_a_sentence(language: str) -> None:
    """In both languages, *you* with a capital is for private correspondence."""
    you = {
        "pl": r"Tw[oó]j\w*|Twoi\w*|Ciebie|Cię|Ci|Tobie|Tobą|Ty|Wasz\w*|Wam|Was|Wami",
        "ru": r"Вы|Вас|Вам|Вами|Ваш\w*",
    }
    inside = re.compile(rf"[\w,;)%”»-][ \u00a0]+({you[language]})\b")
    assert [text for text in _texts(language) if inside.search(text)] == []


def test_no_line_ends_inside_the_name_of_the_hash() -> None:
    """In no language: its hyphen is a non-breaking one."""
    texts = [text for language in LANGUAGES for text in _texts(language)]
    texts += [text for message in messages() for text in message.texts]
    assert [text for text in texts if "SHA-256" in text] == []
    assert [text for text in texts if "SHA\u2011256" in text]


def _texts(language: str) -> list[str]:
    """Return every translation, each plural form as one text."""
    strings = [message.string for message in catalogue(language) if message.id]
    return [text for said in strings for text in ([said] if isinstance(said, str) else said)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_subject_of_an_email_is_not_cut(language: str) -> None:
    """One with names may be: its names are shortened first, by dots that stand before no other dot."""
    subjects = [
        str(message.string)
        for message in catalogue(language)
        if any(Path(path).name == "subject.txt" for path, _line in message.locations)
    ]
    fixed = [text for text in subjects if not PLACEHOLDER.search(text)]
    assert fixed
    assert [text for text in fixed if len(text) > LONGEST_SUBJECT] == []
    assert [text for text in subjects if re.search(r"\)s\.", text)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_site_s_font_has_every_letter(language: str) -> None:
    """Browsers take letters outside its ranges from another font, in the middle of a heading."""
    sheet = (Path(settings.BASE_DIR) / "condottiere_site/static/look/site.css").read_text(encoding="utf-8")
    ranges = [
        range(int(first, 16), int(last or first, 16) + 1)
        for line in re.findall(r"unicode-range: ([^;]+);", sheet)
        for first, last in re.findall(r"U\+([0-9A-F]+)(?:-([0-9A-F]+))?", line)
    ]
    letters = {c for message in catalogue(language) for c in str(message.string) if c.isalpha()}
    assert {c for c in letters if not any(ord(c) in one for one in ranges)} == set()


# A day or a moment is in the nominative, "piątek, 6 marca", so these words need a noun between.
DAYS = r"%\((?:at|day|until|due|asked|date|when|begun|ends)\)s"
BEFORE_A_DAY = {
    "pl": re.compile(rf"\b(?:od|do|przed|po|w|na|dnia|około|zapytano) {DAYS}", re.I),
    "ru": re.compile(rf"\b(?:с|до|по|после|перед|в|на|к|от|около) {DAYS}", re.I),
}


@pytest.mark.parametrize("language", BEFORE_A_DAY)
def test_no_word_that_needs_another_case_stands_before_a_day(language: str) -> None:
    found = BEFORE_A_DAY[language]
    assert [text for text in _texts(language) if found.search(text)] == []
