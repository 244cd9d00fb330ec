"""What a player wrote in a reply, and whether it is one: nothing here knows a game.

Mail comes from anyone, so all of it may be malformed.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from email.message import Message

from accounts.mail.sent_words import Find
from games.replies.alike import find_nothing
from games.replies.automatic import is_automatic
from games.replies.message_text import text_of
from games.replies.quotes import OwnWords, separated

_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")


@dataclass(frozen=True)
class Reply:
    """A reply's own words.

    `digest` is the same when the same message comes again. `message_id` may be empty. With `is_too_long`,
    these words may go on beyond what was read.
    """

    words: OwnWords
    message_id: str
    digest: str
    is_too_long: bool = False

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines above the quoted email."""
        return self.words.lines

    @property
    def message(self) -> tuple[str, ...]:
        """The lines above the quoted email, or those below it: some mail programs let people write there."""
        return self.words.lines or self.words.all_below

    @property
    def below(self) -> str:
        """The first line below the quoted email, if none are above it."""
        return self.words.below


def read_reply(message: Message, find: Find = find_nothing) -> Reply | None:
    """Return a person's words in a message; None for automatic replies, reports and the site's own emails.

    `find` knows the emails that it may quote.
    """
    if is_automatic(message):
        return None
    found = text_of(message)
    text = found.text
    message_id = _message_id(message)
    about = message_id or f"{message['Date']}\n{message['Subject']}\n{text}"
    digest = hashlib.sha256(about.encode("utf-8", "replace")).hexdigest()[:32]
    words = separated(text, find)
    ends = text.rstrip().endswith(words.lines[-1]) if words.lines else not words.below
    return Reply(words, message_id, digest, not found.is_whole and ends)


def _message_id(message: Message) -> str:
    found = _MESSAGE_ID.search(str(message["Message-ID"] or ""))
    return found[0] if found else ""
