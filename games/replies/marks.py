"""Marks by which a line of a message ends a person's own words, whatever the email that is quoted."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.utils import parseaddr
from functools import lru_cache
from itertools import takewhile

from django.conf import settings

from accounts.own_name import sender_names
from accounts.token_links import carries_token, without_token_links
from games.replies.alike import SEARCHED
from games.replies.chat_lines import message_in
from games.replies.footers import is_footer

_LONGEST_WORDS_OF_RULE = 60
_HEADER = re.compile(r"\*?[^\W\d][\w -]{0,24}\*? ?[:：]\*? ?\S.*")
_MOMENT = re.compile(r"\b\d{4}\b|\d{1,2}[:.]\d{2}")


def ends_reply(lines: Sequence[str], at: int) -> bool:
    """Return whether this line ends a person's own words."""
    line = lines[at]
    if line.startswith(">") or is_rule(line):
        return True
    if message_in([line]) is not None:
        return False
    return names_us(line) or (at > 0 and is_footer(line)) or _begins_headers(lines[at : at + 5])


def is_rule(line: str) -> bool:
    """Return whether this is a line between emails or above a signature: of dashes, perhaps around words."""
    if line in ("--", "-- ", "__") or (len(line) >= 5 and not line.strip("-_")):
        return True
    words = line.strip("-")
    return line.startswith("---") and line.endswith("---") and 1 <= len(words) <= _LONGEST_WORDS_OF_RULE


def names_us(line: str) -> bool:
    """Return whether a line names the address of this site's sender, or one where replies go."""
    words = line[:SEARCHED].casefold()
    mailbox = settings.REPLY_ADDRESS.partition("@")[0]
    return _address_of(settings.DEFAULT_FROM_EMAIL) in words or f"{mailbox}+" in words


def names_sender(words: str) -> bool:
    """Return whether these words hold a name that this site's emails come from, in any language."""
    return any(name.casefold() in words.casefold() for name in sender_names())


@lru_cache(maxsize=1)
def _address_of(sender: str) -> str:
    return parseaddr(sender)[1].casefold()


def is_header(line: str) -> bool:
    """Return whether a line may be a header of an email; what begins a message is none."""
    return _HEADER.match(line[:SEARCHED]) is not None and message_in([line]) is None


def _begins_headers(lines: Sequence[str]) -> bool:
    """Return whether these lines are the head of a quoted email in any language, as Outlook writes it."""
    lines = list(takewhile(bool, lines))
    if len(lines) < 2 or not all(map(is_header, lines[:2])):
        return False
    return any("@" in line for line in lines) and any(_MOMENT.search(line[:SEARCHED]) for line in lines)


def tells_of_email(lines: Sequence[str]) -> bool:
    """Return whether these headers hold an address, a moment or this site's name."""
    short = [line[:SEARCHED] for line in lines]
    return any("@" in line or names_sender(line) or _MOMENT.search(line) for line in short)


def holds_link(lines: Sequence[str]) -> bool:
    """Return whether these lines hold a link that opens a seat or an account, perhaps broken over lines."""
    text = "\n".join(lines)
    return without_token_links(text) != text or carries_token("".join(text.split()))
