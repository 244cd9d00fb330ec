"""A channel's title and the sentence that says who reads it."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from accounts.names import FORMER_PLAYER
from games.chat.access import Reader
from games.chat.models import Channel
from games.chat.writing import still_in
from games.models import Table
from games.narration.cast import and_list


def channel_title(channel: Channel, reader: Reader) -> str:
    """Return the channel's title for this reader. A private channel is named after its other people."""
    match Channel.Kind(channel.kind):
        case Channel.Kind.TABLE:
            return _("Public channel")
        case Channel.Kind.EPILOGUE:
            return _("Chat after the game")
    # Translators: names are those of the other players in a private channel.
    return _("Private channel: %(names)s") % {"names": and_list(others_in(channel, reader))}


def others_in(channel: Channel, reader: Reader) -> list[str]:
    """Return the names of a private channel's other people, in the order of their seats."""
    others, gone = _others_and_gone(channel, reader)
    return [*others, *[_(FORMER_PLAYER)] * gone]


def _others_and_gone(channel: Channel, reader: Reader) -> tuple[list[str], int]:
    """Return the names of the channel's other people at the table, and how many have left the table."""
    here = still_in(channel, reader.table)
    others = here - {reader.user_id}
    names = [name for user, name in reader.names.items() if user in others]
    return names, len(channel.all_members) - len(here)


def readers_text(channel: Channel, reader: Reader) -> str:
    """Return a sentence: who reads this channel. It is part of every form and email."""
    if channel.is_private:
        return _private_readers(channel, reader)
    may_be_joined = reader.table.is_gathering or reader.table.is_playing
    if channel.kind == Channel.Kind.TABLE and may_be_joined:
        text = _("Everyone at the table can read this channel, including players who join later.")
    else:
        text = _("Everyone at the table can read this channel.")
    return f"{text} {_spectators_text(reader.table)}".rstrip()


def _private_readers(channel: Channel, reader: Reader) -> str:
    if channel.opened_at is not None:
        text = _(
            "The players in this channel made it public after the game: everyone at the table can read it."
        )
        return f"{text} {_spectators_text(reader.table)}".rstrip()
    others, gone = _others_and_gone(channel, reader)
    return f"{_only_readers(others)} {_gone_text(gone)}".rstrip()


def _only_readers(others: list[str]) -> str:
    if not others:
        return _("Only you can read this channel.")
    you = pgettext("in a list of players", "you")
    # Translators: names are players, such as "you and Anna" or "you, Anna and Bruno".
    return _("Only %(names)s can read this channel.") % {"names": and_list([you, *others])}


def _gone_text(gone: int) -> str:
    if not gone:
        return ""
    text = ngettext(
        "%(n)d other player has left the table and can no longer read it.",
        "%(n)d other players have left the table and can no longer read it.",
        gone,
    )
    return text % {"n": gone}


def _spectators_text(table: Table) -> str:
    if not table.spectators_read:
        return ""
    match Table.Watch(table.watch):
        case Table.Watch.ANYONE:
            return _(
                "Anyone can watch this table and read this channel too, even what was written before the "
                "game."
            )
        case Table.Watch.LINK:
            return _("Anyone with the spectator link can read it too, even what was written before the game.")
    return ""
