"""What the table itself says in a circle, as its reader is told: never made from anybody's text.

Each kind of message that the table vouches for has a teller, which reads its rows for a whole page at once.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from games.press.access import Reader
from games.press.models import Message


@dataclass(frozen=True)
class Said:
    """One thing the table says: a sentence for letters, and for pages a template and what it shows."""

    sentence: str
    part: str  # a template, which knows `said`, this
    value: Hashable
    words: str = ""  # its author's, as he typed them: they stand outside of what the table says
    is_nobodys: bool = False  # the table says it of itself, and of nobody's doing in the talk


Names = Mapping[int | None, str]  # by the number of a person; as the reader may see them
Teller = Callable[[Sequence[Message], Reader, Names], dict[int, Said]]  # by the number of the message

TELLERS: dict[str, Teller] = {}  # by Message.Kind


def said_in(messages: Sequence[Message], reader: Reader, names: Names) -> dict[int, Said]:
    """What the table says in these messages of one circle, by their numbers."""
    told: dict[int, Said] = {}
    for kind in dict.fromkeys(message.kind for message in messages if message.kind in TELLERS):
        told |= TELLERS[kind]([message for message in messages if message.kind == kind], reader, names)
    return told
