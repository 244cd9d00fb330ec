"""What a player wrote in a reply: the words above the quoted email, without signatures and phone footers.

Nothing here knows a game. Mail comes from anyone, so all of it may be malformed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache
from html.parser import HTMLParser
from itertools import islice

import nh3
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from mailparser_reply.parser import EmailMessage

MOST_PARTS = 100
MOST_BYTES = 200_000  # of one part; a reply's own words come first
MOST_CHARACTERS = 12_000  # of the text that is searched for quotes: three of the longest messages
SEARCHED = 300  # characters of a line; the patterns of mail programs take long on longer ones

_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")
# Mail programs of players speak other languages than the site.
_LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pl")
_BULK = frozenset({"bulk", "junk", "list", "auto_reply", "auto-reply"})
_AUTOMATIC = ("X-Autoreply", "X-Auto-Reply", "X-Autorespond", "X-Autoresponder", "X-Loop", "List-Id")
_ROBOTS = re.compile(r"(mailer-daemon|postmaster|no-?reply|donotreply)@", re.IGNORECASE)


@dataclass(frozen=True)
class Reply:
    """A reply's own words: the lines above the quoted email, and the first line below it.

    `digest` is the same when the same message comes again. `message_id` may be empty.
    """

    lines: tuple[str, ...]
    below: str
    message_id: str
    digest: str


def read_reply(message: Message) -> Reply | None:
    """Return a person's words in a message; None for automatic replies, reports and the site's own emails."""
    if is_automatic(message):
        return None
    text = _shortened(text_of(message))
    message_id = _message_id(message)
    above = own_words(text)
    about = message_id or f"{message['Date']}\n{message['Subject']}\n{text}"
    digest = hashlib.sha256(about.encode("utf-8", "replace")).hexdigest()[:32]
    return Reply(tuple(above), "" if above else _first_below(text), message_id, digest)


def is_automatic(message: Message) -> bool:
    """Return whether a program sent this: a report, a vacation notice (RFC 3834), a list or this site."""
    submitted = _word(message["Auto-Submitted"])
    if submitted not in ("", "no") or _word(message["Precedence"]) in _BULK:
        return True
    if any(message[name] is not None for name in _AUTOMATIC) or _word(message["Return-Path"]) == "<>":
        return True
    is_report = message.get_content_type() in ("multipart/report", "message/delivery-status")
    return is_report or bool(_ROBOTS.search(str(message["From"] or "")))


def _word(value: object) -> str:
    """Return the first word of a field, in lower case; comments may follow it."""
    words = str(value or "").lower().replace(";", " ").split()
    return words[0] if words else ""


def _message_id(message: Message) -> str:
    found = _MESSAGE_ID.search(str(message["Message-ID"] or ""))
    return found[0] if found else ""


# The text: a plain part, or else HTML made text. Files are never opened, nor are messages inside the message.


def text_of(message: Message) -> str:
    """Return the message's first plain text that says anything, or else its first HTML as text."""
    html = ""
    for part in islice(_parts(message), MOST_PARTS):
        kind = part.get_content_type()
        if kind == "text/plain" and (plain := _decoded(part)).strip():
            return plain
        if kind == "text/html" and not html:
            html = _decoded(part)
    return as_text(html)


def _parts(message: Message) -> Iterator[Message]:
    """Yield the parts that are shown as the message's text, in order."""
    waiting = [message]
    while waiting:
        part = waiting.pop()
        if _word(part["Content-Disposition"]) == "attachment":
            continue
        payload = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(payload, list):
            waiting += reversed([one for one in payload[:MOST_PARTS] if isinstance(one, Message)])
        elif part.get_content_maintype() == "text":
            yield part


def _decoded(part: Message) -> str:
    """Return a part's text; where its character set is wrong or unknown, as UTF-8 or else Latin-1."""
    payload = part.get_payload(decode=True)
    source = payload[:MOST_BYTES] if isinstance(payload, bytes) else b""
    for charset in (str(part.get_content_charset() or ""), "utf-8"):
        try:
            return source.decode(charset or "utf-8").replace("\0", "")
        except (LookupError, ValueError):  # unknown, or not what it says; the last character may be cut off
            continue
    return source.decode("latin-1").replace("\0", "")


_QUOTE = "> "  # before each line of a quote in HTML
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


def as_text(html: str) -> str:
    """Return HTML as text, with quotes marked as in plain text, and a cut where a mail program put one."""
    clean = nh3.clean(
        html,
        tags=_KEPT_TAGS,
        clean_content_tags={"script", "style", "title"},
        attributes={"*": {"class", "id"}},
        link_rel=None,
    )
    reader = _HtmlText()
    reader.feed(clean)
    reader.close()
    return "\n".join(reader.lines)


class _HtmlText(HTMLParser):
    """Collect the lines of clean HTML."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self._quotes = 0
        self._divs: list[bool] = []  # whether each open one holds who wrote the quoted email

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a line at each block; mark quotes, and what comes after a reply."""
        marks = " ".join(value or "" for _name, value in attrs)
        is_quote = tag == "blockquote"
        if tag == "div":
            self._divs.append(_ATTRIBUTION in marks)
            is_quote = self._divs[-1]
        self._quotes += is_quote
        if tag not in _IN_LINE:
            self.lines.append(_QUOTE if self._quotes else "")
        if _AFTER_REPLY.search(marks):
            self.lines += [_CUT, ""]

    def handle_endtag(self, tag: str) -> None:
        """End the line of a block."""
        was_quote = tag == "blockquote" or (tag == "div" and bool(self._divs) and self._divs.pop())
        self._quotes = max(0, self._quotes - was_quote)
        if tag not in _IN_LINE:
            self.lines.append(_QUOTE if self._quotes else "")

    def handle_data(self, data: str) -> None:
        """Add words to the line; white space is one space."""
        words = re.sub(r"\s+", " ", data)
        line = self.lines[-1]
        self.lines[-1] = line + (words.lstrip() if not line.removeprefix(_QUOTE).strip() else words)


def _shortened(text: str) -> str:
    """Return the beginning of a text with lines that end alike, short enough to search it quickly."""
    lines = re.split(r"\r\n?|[\n\u2028\u2029\x85]", text[:MOST_CHARACTERS])
    return "\n".join(line.replace("\xa0", " ").rstrip() for line in lines)


# Where the reply ends and what it quotes begins. Whatever may be a quote is left out: it holds a hand.


_RULE = re.compile(r"[-_]{5,}|-{3,}.{1,60}-{3,}|-- ?|_{2,}")
_HEADER = re.compile(r"\*?[^\W\d][\w -]{0,24}\*? ?:\*? ?\S.*")
_MOMENT = re.compile(r"\b\d{4}\b|\d{1,2}[:.]\d{2}")
_FOOTER = re.compile(
    r"sent (from|with|via)|get outlook|gesendet (von|mit)|von meinem .* gesendet"
    r"|envoyé (de|depuis|avec|à partir)|inviato (da|dal)|enviado (desde|do|de)|verzonden (vanaf|met|van)"
    r"|wysłan[eo] z|отправлено (с|из|через)",
    re.IGNORECASE,
)


def own_words(text: str) -> list[str]:
    """Return the lines above the quoted email, without empty ones around them."""
    lines = _trimmed(_above([line.strip() for line in text.split("\n")]))
    if not lines:
        return []
    short = "\n".join(line[:SEARCHED] for line in lines)
    first = EmailMessage(short, list(_LANGUAGES), keep_hyphen_lists=True).read().replies[0]
    if first.headers:
        return []
    body = first.body
    return (
        _trimmed(lines[: body.count("\n") + 1] if short.startswith(body) else body.split("\n"))
        if body
        else []
    )


def _above(lines: list[str]) -> list[str]:
    """Return the lines before the first that ends a reply, and before those that say who wrote the quote."""
    end = next((at for at in range(len(lines)) if _ends_reply(lines, at)), len(lines))
    if end == len(lines):
        return lines
    above, is_attribution = lines[:end], not lines[end].startswith(">")
    while above and not above[-1] and not is_attribution:
        above.pop()
    if above and not is_attribution and above[-1].endswith(":"):
        above, is_attribution = above[:-1], True
    is_its_beginning = is_attribution and above and _MOMENT.search(above[-1])
    return above[:-1] if is_its_beginning else above


def _ends_reply(lines: list[str], at: int) -> bool:
    line = lines[at]
    if line.startswith(">") or _RULE.fullmatch(line) or _is_quote_of_ours(line):
        return True
    return (at > 0 and _FOOTER.match(line) is not None) or _begins_headers(lines[at : at + 5])


def _begins_headers(lines: list[str]) -> bool:
    """Return whether these lines are the head of a quoted email in any language, as Outlook writes it."""
    if len(lines) < 2 or not all(_HEADER.fullmatch(line) for line in lines[:2]):
        return False
    return any("@" in line for line in lines) and any(_MOMENT.search(line) for line in lines)


def _is_quote_of_ours(line: str) -> bool:
    """Return whether a line names this site's sender or where replies go, or begins as its emails do."""
    words = line.casefold()
    mailbox = settings.REPLY_ADDRESS.partition("@")[0]
    sender = settings.DEFAULT_FROM_EMAIL.rpartition("<")[2].rstrip("> ").casefold()
    return sender in words or f"{mailbox}+" in words or words.startswith(_own_beginnings())


@lru_cache(maxsize=1)
def _own_beginnings() -> tuple[str, ...]:
    """Return how lines of turn emails begin that may hold a hand, in every language of the site."""
    found = list[str]()
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            found += [_("Your hand:"), _("Since your last move"), _("The game so far")]
    return tuple(text.casefold() for text in found)


def _first_below(text: str) -> str:
    """Return the first line below the quoted email, where some people write; empty if nothing was quoted."""
    lines = [line.strip() for line in text.split("\n")]
    quoted = [at for at, line in enumerate(lines) if line.startswith(">")]
    below = lines[quoted[-1] + 1 :] if quoted else []
    return next((line for line in below if line and not _RULE.fullmatch(line)), "")


def _trimmed(lines: list[str]) -> list[str]:
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return [line.strip() for line in lines[filled[0] : filled[-1] + 1]] if filled else []
