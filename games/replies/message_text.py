"""The text of a message: its plain text, or else its HTML as text, as much as can be read in little time.

Files are never opened, nor are messages inside the message.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from itertools import groupby, islice

from accounts.mail.message_parts import parts_of
from games.replies.html_text import as_text

MOST_PARTS = 100
MOST_BYTES = 200_000  # of one part; a reply's own words come first
MOST_CHARACTERS = 12_000  # three of the longest messages

# Codecs of Python that are no character sets of emails; punycode takes ever longer
_NO_CHARACTER_SETS = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})


@dataclass(frozen=True)
class MessageText:
    """The beginning of a message's text, and whether that is all of it."""

    text: str
    is_whole: bool = True


def text_of(message: Message) -> MessageText:
    """Return the message's first plain text that says anything, or else its first HTML as text.

    Lines end alike, and no two empty ones follow each other.
    """
    html = MessageText("")
    for part in islice(_parts(message), MOST_PARTS):
        kind = part.get_content_type()
        if kind == "text/plain" and (plain := _decoded(part)).text.strip():
            return _shortened(plain)
        if kind == "text/html" and not html.text:
            html = _decoded(part)
    text, is_whole = as_text(html.text)
    return _shortened(MessageText(text, is_whole and html.is_whole))


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts that are shown as the message's text, in order."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if _is_attachment(part):
            continue
        if part.get_content_maintype() == "multipart":
            waiting += reversed(parts_of(part)[:MOST_PARTS])
        elif part.get_content_maintype() == "text":
            yield part


def _is_attachment(part: Message) -> bool:
    words = str(part["Content-Disposition"] or "").lower().replace(";", " ").split()
    return words[:1] == ["attachment"]


def _decoded(part: Message) -> MessageText:
    """Return a part's text; where its character set is wrong or unknown, as UTF-8 or else Latin-1."""
    payload = part.get_payload(decode=True)
    source = payload if isinstance(payload, bytes) else b""
    is_whole, source = len(source) <= MOST_BYTES, source[:MOST_BYTES]
    for charset in (_charset_of(part), "utf-8"):
        try:
            return MessageText(_from_charset(source, charset), is_whole)
        except (LookupError, ValueError):  # unknown, or not what it says; the last character may be cut off
            continue
    return MessageText(_from_charset(source, "latin-1"), is_whole)


def _charset_of(part: Message) -> str:
    """Return the character set that a part names.

    `get_content_charset()` would also decode the name, in a character set that is named too (RFC 2231).
    """
    named = part.get_param("charset") or "utf-8"
    return named[2] if isinstance(named, tuple) else str(named)


def _from_charset(source: bytes, charset: str) -> str:
    """Return the text of these bytes. Raises LookupError for an unknown character set, or ValueError."""
    if codecs.lookup(charset).name in _NO_CHARACTER_SETS:
        raise LookupError(charset)
    text = source.decode(charset).replace("\0", "")
    return text.encode("utf-8", "replace").decode("utf-8")  # of UTF-7, halves of characters may be left


def _shortened(found: MessageText) -> MessageText:
    """Return the beginning of a text, with lines that end alike, and one empty line in place of several."""
    lines = re.split(r"\r\n?|[\n\u2028\u2029\x85]", found.text[:MOST_CHARACTERS])
    trimmed = (line.replace("\xa0", " ").rstrip() for line in lines)
    squeezed = (line for empty, run in groupby(trimmed, _is_empty) for line in ([""] if empty else run))
    return MessageText("\n".join(squeezed), found.is_whole and len(found.text) <= MOST_CHARACTERS)


def _is_empty(line: str) -> bool:
    """Return whether no one sees anything on a line."""
    return not any(character.isprintable() and character != " " for character in line)
