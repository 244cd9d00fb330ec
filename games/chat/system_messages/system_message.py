"""A system message: rendered for each reader from facts, never from a player's text."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from games.chat.access import Reader
from games.chat.models import Message


@dataclass(frozen=True)
class SystemMessage:
    """One system message: a sentence for emails; for pages, a template and its value."""

    sentence: str
    part: str  # a template, which gets this object as `system`
    value: Hashable
    words: str = ""  # the author's words as typed, shown apart from the system message
    is_impersonal: bool = False  # comes from the site alone, not from anyone's action in the chat


Renderer = Callable[[Sequence[Message], Reader], dict[int, SystemMessage]]  # by message number
