"""What came of a reply, as facts that its receipt tells in the reader's language."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

RECEIPT = "reply_receipt"  # the kind of email
CHAT_RECEIPT = "chat_receipt"  # that of replies to emails about the chat
LONGEST_QUOTE = 60  # characters of a line or name that was not understood


class ReplyOutcome(StrEnum):
    """What came of one thing that a reply said."""

    PLAYED = "played"
    ORDERED = "ordered"
    SAID = "said"
    REST = "rest"  # words below a move that went nowhere
    # Nothing was changed:
    UNREAD = "unread"
    UNCLEAR = "unclear"
    ILLEGAL = "illegal"
    BAD_ORDER = "bad order"
    KEPT = "kept"  # an earlier answer to the same decision
    CLOSED = "closed"
    NOBODY = "nobody"  # no other player of that name
    NO_TEXT = "no text"
    MOVE = "move"  # as a reply to an email about the chat, while the player is asked for it
    QUOTED = "quoted"  # a message that holds words or a link of an email of ours
    SILENT = "silent"  # no one may write there now
    TOO_MANY = "too many"
    TOO_LONG = "too long"


CHANGED = frozenset({ReplyOutcome.PLAYED, ReplyOutcome.ORDERED, ReplyOutcome.SAID})
# Told once for each decision, so that two programs that answer each other come to an end.
TOLD_ONCE = frozenset({ReplyOutcome.UNREAD, ReplyOutcome.KEPT, ReplyOutcome.CLOSED})

Fact = dict[str, Any]


def fact(outcome: ReplyOutcome, **more: Any) -> Fact:
    """Return an outcome as it is stored with the receipt."""
    return {"outcome": str(outcome), **more}
