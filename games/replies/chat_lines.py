"""Lines of a reply for the chat: "say: ..." for everyone at the table, "to Bruno: ..." for some."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from games.narration.typed_names import normal
from games.replies.commands import Command, words_for

_CHAT = re.compile(r"([^:：]{1,250})[:：]\s*(.*)")


@dataclass(frozen=True)
class WrittenMessage:
    """A message to everyone at the table, or to the players of these names."""

    text: str
    names: tuple[str, ...] = ()


def message_in(lines: Sequence[str]) -> WrittenMessage | None:
    """Return the message that these lines begin with "say: ..." or "to Bruno: ..."; None if they do not."""
    found = _CHAT.match(lines[0]) if lines else None
    if found is None:
        return None
    text = "\n".join([found[2], *lines[1:]]).strip()
    begun, rest = _split_command(found[1], Command.SAY)
    if begun and not rest:
        return WrittenMessage(text)
    begun, rest = _split_command(rest, Command.TO)
    names = tuple(name.strip() for name in rest.split(",") if name.strip())
    return WrittenMessage(text, names) if begun and names else None


def _split_command(text: str, command: Command) -> tuple[bool, str]:
    """Return whether a text begins with a command, and what follows as it was written."""
    words = text.split()
    for end in range(len(words), 0, -1):
        if normal(" ".join(words[:end])) in words_for(command):
            return True, " ".join(words[end:])
    return False, text
