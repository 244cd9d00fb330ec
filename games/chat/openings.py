"""Opening a private channel to its table after the end: whether it can be, and who has agreed."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from games.chat.access import Reader
from games.chat.models import Channel
from games.chat.writing import is_over, still_in
from games.models import Table
from games.narration.cast import and_list


@dataclass(frozen=True)
class Opening:
    """The state of opening a private channel to the table after the end."""

    action: str  # where the reader agrees or takes it back
    agreed: str  # a sentence; empty: no one has agreed
    has_agreed: bool  # whether the reader has
    why_never: str  # why it stays closed; empty: it can be opened


def opening_of(channel: Channel, reader: Reader) -> Opening | None:
    """Return the state of opening; None while a game is played, and for readers outside the channel."""
    if not may_be_opened(channel, reader.table) or not reader.is_in(channel):
        return None
    agreed = {member.user_id for member in channel.all_members if member.opens_at is not None}
    return Opening(
        reverse("channel_open", args=[channel.table_id, channel.slug]),
        _agreed_text(channel, reader, agreed - {reader.user_id}),
        reader.user_id in agreed,
        why_never_opened(channel, reader.table),
    )


def _agreed_text(channel: Channel, reader: Reader, agreed: set[int | None]) -> str:
    here = still_in(channel, reader.table)
    names = [name for user, name in reader.names.items() if user in agreed and user in here]
    if not names:
        return ""
    # Translators: names are one or more players.
    return _("Agreed to make it public: %(names)s.") % {"names": and_list(names)}


def may_be_opened(channel: Channel, table: Table) -> bool:
    """Return whether the members may open this channel to the table: a private one, after the end."""
    return channel.is_private and channel.opened_at is None and is_over(table)


def why_never_opened(channel: Channel, table: Table) -> str:
    """Return why a private channel can never be opened to the table.

    A member who has left or was deleted can't be asked, and no one else may open their words.
    """
    if len(still_in(channel, table)) == len(channel.all_members):
        return ""
    return _("Someone in this channel has left and can’t agree, so it stays private.")
