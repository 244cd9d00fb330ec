"""A made-up language: every text of the site is in marks, and each word 1.4 times as long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from unittest.mock import patch

from django.utils import translation
from django.utils.dates import MONTHS, WEEKDAYS, WEEKDAYS_ABBR
from django.utils.safestring import SafeString

from tests.another_language import parts_of_its_own

OPENS, CLOSES = "⟦", "⟧"
READ_ALOUD = {"alt", "title", "placeholder", "aria-label", "aria-description", "label"}
NO_TEXT = {"script", "style"}


# A date or a list of names inside a message is one name there, however it is put together itself.
ATOMS = {str(name) for names in (MONTHS, WEEKDAYS, WEEKDAYS_ABBR) for name in names.values()}
DATE_WORD = re.compile(rf"\b({'|'.join(ATOMS)})\b")
LISTS = "list"
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}")
WORD = re.compile(r"[^\W\d_]{2,}")
KEPT = re.compile(rf"{PLACEHOLDER.pattern}|%%|<[^>]*>|&\w+;|\bhttps?://\S+")
DEEPEST = 2  # a name inside a message


def marked(text: str) -> str:
    """Return the text in marks, lengthened as a translation may be."""
    if str(text) in ATOMS or not WORD.search(PLACEHOLDER.sub("", text)):
        return text
    longer = f"{OPENS}{_lengthened(str(text))}{CLOSES}"
    return SafeString(longer) if isinstance(text, SafeString) else longer


def _lengthened(text: str) -> str:
    """Repeat the end of each word, but of no placeholder, tag or address."""
    words = WORD.sub(lambda word: word[0] + word[0][-1] * round(0.4 * len(word[0])), KEPT.sub("\0", text))
    kept = iter(KEPT.findall(text))
    return re.sub("\0", lambda _: next(kept), words)


@contextmanager
def pseudo_locale() -> Iterator[None]:
    """Mark every translated text of the site within this context."""
    speaks = getattr(translation, "_trans")  # noqa: B009 - what all of Django's translating goes through
    with (
        parts_of_its_own(),
        patch.object(speaks, "gettext", marked),
        patch.object(speaks, "ngettext", lambda one, many, n: marked(one if n == 1 else many)),
        patch.object(speaks, "pgettext", lambda context, text: text if context == LISTS else marked(text)),
        patch.object(speaks, "npgettext", lambda _context, one, many, n: marked(one if n == 1 else many)),
    ):
        yield


class _Texts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._is_zone = False
        self._queued_email = 0  # tags open that hold no text of the site's own

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self._queued_email += tag in NO_TEXT
        if tag != "optgroup":
            self.texts += [value for name, value in attrs if name in READ_ALOUD and value]
        if tag == "select":
            self._is_zone = values.get("name") == "time_zone"
        if tag == "input" and values.get("type") in ("submit", "button"):
            self.texts.append(values.get("value") or "")

    def handle_endtag(self, tag: str) -> None:
        self._queued_email -= tag in NO_TEXT
        if tag == "select":
            self._is_zone = False

    def handle_data(self, data: str) -> None:
        if not self._queued_email and not self._is_zone:
            self.texts.append(" ".join(data.split()))


def texts_of(html: str) -> list[str]:
    """Return what a reader of the page sees or hears, piece by piece."""
    parser = _Texts()
    parser.feed(html)
    return [text for text in parser.texts if text]


def untranslated(text: str) -> list[str]:
    """Return the lines of a page's or email's whole text that have words outside all marks."""
    depth, rest = 0, []
    for sign in text:
        depth += sign == OPENS
        if not depth:
            rest.append(sign)
        depth -= sign == CLOSES
    lines = [DATE_WORD.sub("", line).strip() for line in "".join(rest).splitlines()]
    return [line for line in lines if WORD.search(line)]


def nested(text: str) -> list[str]:
    """Return the messages that hold a message that itself holds another one.

    A card's or a region's name inside a sentence is one message in another, and is fine.
    """
    found, begins, depth, most = [], 0, 0, 0
    for at, sign in enumerate(text):
        if sign == OPENS:
            begins = at if depth == 0 else begins
            depth += 1
            most = max(most, depth)
        elif sign == CLOSES:
            depth -= 1
            if depth == 0:
                found += [text[begins : at + 1]] if most > DEEPEST else []
                most = 0
    return found
