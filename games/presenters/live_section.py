"""How the open page of a game notices news."""

from __future__ import annotations

from dataclasses import dataclass

# The IDs of the parts that news replace.
LIVE_PARTS = (
    "my-games",
    "now",
    "ask",
    "battle",
    "hand",
    "notices",
    "map",
    "news",
    "match",
    "players",
    "chat-channels",
    "chat-messages",
    "chat-opening",
    "log",
)


@dataclass(frozen=True)
class LiveSection:
    """Where the open page asks for news, and the version it has."""

    url: str
    version: str

    @property
    def exchanged(self) -> str:
        """The parts of the page that news replace, as htmx wants them."""
        return ",".join([*(f"#{part}:outerMorph" for part in LIVE_PARTS), "#live:outerHTML"])
