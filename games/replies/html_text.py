"""HTML of a message as text, with quotes marked as in plain text, and a cut where a mail program put one."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import nh3

MOST_TAGS = 5000  # cleaning takes longer with each level of nesting; a reply's own words come first
MOST_CHARACTERS = 100_000  # of clean HTML
SEARCHED = 300  # characters of a tag's classes and identifier

_QUOTE = "> "  # before each line of a quote
_CUT = "-----"  # before what mail programs put after a reply
_KEPT_TAGS = {
    "p",
    "div",
    "br",
    "blockquote",
    "tr",
    "td",
    "li",
    "ul",
    "ol",
    "h1",
    "h2",
    "h3",
    "pre",
    "hr",
    "span",
}
_IN_LINE = {"td", "span"}
_AFTER_REPLY = re.compile(
    r"gmail_quote|gmail_attr|yahoo_quoted|protonmail_quote|moz-signature|gmail_signature|divRplyFwdMsg"
    r"|appendonsend|stopSpelling|OLK_SRC_BODY|ms-outlook-mobile|mail-editor-reference|AppleMailSignature"
    r"|zmail_extra|tutanota_quote|moz-forward",
    re.IGNORECASE,
)
_ATTRIBUTION = "moz-cite-prefix"
# HTML repeats these tags in each paragraph until they are closed, and merges the attributes of the last two:
# work that grows with the square of their number. As text, they are no more than words in a line.
_REPEATED = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u|html|body)(?=[\s/>])",
    re.IGNORECASE | re.ASCII,
)


def as_text(html: str) -> tuple[str, bool]:
    """Return HTML as text, and whether that is all of it."""
    pieces = html.split("<", MOST_TAGS + 1)
    read = pieces[: MOST_TAGS + 1]
    clean = nh3.clean(
        _REPEATED.sub(r"<\1span", "<".join(read)),
        tags=_KEPT_TAGS,
        clean_content_tags={"script", "style", "title"},
        attributes={"*": {"class", "id"}},
        link_rel=None,
    )
    reader = _HtmlText()
    reader.feed(clean[:MOST_CHARACTERS])
    reader.close()
    is_whole = len(read) == len(pieces) and len(clean) <= MOST_CHARACTERS
    return "\n".join(map("".join, reader.lines)), is_whole


class _HtmlText(HTMLParser):
    """Collect the lines of clean HTML, each in pieces."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[list[str]] = [[]]
        self._has_words = False  # on the last line
        self._quotes = 0
        self._divs: list[bool] = []  # whether each open one holds who wrote the quoted email

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line at each block; mark quotes, and what comes after a reply."""
        marks = " ".join((value or "")[:SEARCHED] for _name, value in attrs)
        is_quote = tag == "blockquote"
        if tag == "div":
            self._divs.append(_ATTRIBUTION in marks)
            is_quote = self._divs[-1]
        self._quotes += is_quote
        if tag not in _IN_LINE:
            self._begin_line()
        if _AFTER_REPLY.search(marks):
            self.lines.append([_CUT])
            self.lines.append([])
            self._has_words = False

    def handle_endtag(self, tag: str) -> None:
        """End the line of a block."""
        was_quote = tag == "blockquote" or (tag == "div" and bool(self._divs) and self._divs.pop())
        self._quotes = max(0, self._quotes - was_quote)
        if tag not in _IN_LINE:
            self._begin_line()

    def handle_data(self, data: str) -> None:
        """Add words to the line; white space is one space."""
        words = re.sub(r"\s+", " ", data)
        self.lines[-1].append(words if self._has_words else words.lstrip())
        self._has_words = self._has_words or bool(words.strip())

    def _begin_line(self) -> None:
        self.lines.append([_QUOTE] if self._quotes else [])
        self._has_words = False
