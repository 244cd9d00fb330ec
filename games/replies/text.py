"""What a player wrote in a reply: the words above the quoted email, without signatures and phone footers.

Nothing here knows a game. Mail comes from anyone, so all of it may be malformed.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from email.message import Message
from functools import lru_cache

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _
from mailparser_reply.parser import EmailMessage

from games.replies.automatic import is_automatic
from games.replies.message_text import text_of

SEARCHED = 300  # characters of a line; the patterns of mail programs take long on longer ones

_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")
# Mail programs of players speak other languages than the site.
_LANGUAGES = ("en", "de", "es", "fr", "it", "nl", "pl")


@dataclass(frozen=True)
class Reply:
    """A reply's own words: the lines above the quoted email, and the first line below it.

    `digest` is the same when the same message comes again. `message_id` may be empty. With `is_too_long`,
    these words may go on beyond what was read.
    """

    lines: tuple[str, ...]
    below: str
    message_id: str
    digest: str
    is_too_long: bool = False


def read_reply(message: Message) -> Reply | None:
    """Return a person's words in a message; None for automatic replies, reports and the site's own emails."""
    if is_automatic(message):
        return None
    found = text_of(message)
    text = found.text
    message_id = _message_id(message)
    above = own_words(text)
    about = message_id or f"{message['Date']}\n{message['Subject']}\n{text}"
    digest = hashlib.sha256(about.encode("utf-8", "replace")).hexdigest()[:32]
    below = "" if above else _first_below(text)
    is_too_long = not found.is_whole and (text.rstrip().endswith(above[-1]) if above else not below)
    return Reply(tuple(above), below, message_id, digest, is_too_long)


def _message_id(message: Message) -> str:
    found = _MESSAGE_ID.search(str(message["Message-ID"] or ""))
    return found[0] if found else ""


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
    is_its_beginning = is_attribution and above and _MOMENT.search(above[-1][:SEARCHED])
    return above[:-1] if is_its_beginning else above


def _ends_reply(lines: list[str], at: int) -> bool:
    line, short = lines[at], [line[:SEARCHED] for line in lines[at : at + 5]]
    if line.startswith(">") or _is_rule(line) or _is_quote_of_ours(line):
        return True
    return (at > 0 and _FOOTER.match(short[0]) is not None) or _begins_headers(short)


def _is_rule(line: str) -> bool:
    return len(line) <= SEARCHED and _RULE.fullmatch(line) is not None


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
    return next((line for line in below if line and not _is_rule(line)), "")


def _trimmed(lines: list[str]) -> list[str]:
    filled = [at for at, line in enumerate(lines) if line.strip()]
    return [line.strip() for line in lines[filled[0] : filled[-1] + 1]] if filled else []
