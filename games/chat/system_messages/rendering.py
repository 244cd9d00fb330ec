"""Renders the system messages of a channel. Each kind reads its rows for a whole page at once."""

from __future__ import annotations

from collections.abc import Sequence

from games.chat.access import Reader
from games.chat.models import Message
from games.chat.system_messages.ban_text import bans_in
from games.chat.system_messages.deal_event_text import deals_in
from games.chat.system_messages.sealed_note_text import opened_in, sealed_in
from games.chat.system_messages.shown_card_text import shown_in
from games.chat.system_messages.system_message import Renderer, SystemMessage

RENDERERS: dict[str, Renderer] = {
    Message.Kind.SHOWN: shown_in,
    Message.Kind.BANNED: bans_in,
    Message.Kind.SEALED: sealed_in,
    Message.Kind.OPENED: opened_in,
    Message.Kind.DEAL: deals_in,
}


def system_messages_in(messages: Sequence[Message], reader: Reader) -> dict[int, SystemMessage]:
    """Return the system messages among these messages of one channel, by number."""
    found: dict[int, SystemMessage] = {}
    for kind in dict.fromkeys(message.kind for message in messages if message.kind in RENDERERS):
        found |= RENDERERS[kind]([message for message in messages if message.kind == kind], reader)
    return found
