"""Telling people news of a league by letter, when they want letters that can wait: at once, collected after
some minutes, or at their own hour of the day. What asks somebody for an answer does not wait."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from accounts import present
from accounts.models import User
from accounts.post.models import Letter
from accounts.post.outbox import NO_HOLD, queue
from accounts.rhythm import letter_due


def tell(kind: str, *, to: User, key: str, about: Mapping[str, Any]) -> Letter:
    """Queues one letter with news, sent when this person's preferences say. The same key again is the same
    letter. Part of the caller's transaction."""
    now = present.now()
    due = letter_due(to, now, now)
    return queue(kind, to=to, key=key, about=about, hold=due - now if due else NO_HOLD)
