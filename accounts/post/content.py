"""What a builder hands to delivery: a letter's content as values, before anything is rendered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class InlineImage:
    """A picture inside a letter, shown by `<img src="cid:...">` with the same cid."""

    cid: str
    png: bytes


@dataclass(frozen=True)
class Content:
    """One letter to write: a folder under templates/mail/ and what its templates are given.

    `thread` ("game-42") ties letters together in mail programs; `list_id` ("game-42") is what its reader can
    turn off, `list_name` how people call it; without a list_id the letter cannot be turned off. `stops` names
    what its unsubscribe link turns off where that is less, or more, than the list.
    """

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    thread: str | None = None
    list_id: str | None = None
    list_name: str | None = None
    images: tuple[InlineImage, ...] = ()
    stops: str | None = None
