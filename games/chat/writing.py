"""Decides who may write in a channel, when, and why not. Every page, form and service asks here."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from django.utils.translation import gettext as _

from accounts.models import User
from games.chat.bans import ban_of, why_banned
from games.chat.models import EPILOGUE, Channel
from games.models import Game, Table
from games.rules import Phase


def public_slug(table: Table) -> str:
    """Return the slug of the public channel in use now."""
    return EPILOGUE if is_over(table) else ""


def is_over(table: Table) -> bool:
    """Return whether every game at the table has been played. Its chat then continues in the epilogue."""
    return table.state == Table.State.FINISHED


def is_closed(table: Table) -> bool:
    """Return whether the table was closed before any game was played, so that no one may write."""
    return table.state == Table.State.CANCELLED


def is_writer(channel: Channel, table: Table, user: User | None) -> bool:
    """Return whether this person is one of the channel's writers: players, in a private one its members."""
    if user is None or user.pk not in {seat.user_id for seat in table.all_seats()}:
        return False
    return not channel.is_private or user.pk in {member.user_id for member in channel.all_members}


def why_may_not_write(channel: Channel, table: Table, user: User | None, *, in_words: bool = True) -> str:
    """Return why this person may not write here now; empty if they may.

    Banned people have no words, but they can show cards and answer deals.
    """
    if not is_writer(channel, table, user):
        return _("You no longer have a seat at this table.")
    return why_silent(channel, table) or (why_banned(ban_of(user, table)) if in_words else "")


def why_silent(channel: Channel, table: Table, fights: Callable[[], bool] | None = None) -> str:
    """Return why no one may write in this channel now; empty if its writers may.

    `fights` says whether a battle is going on at the table; without it, that is read.
    """
    if is_closed(table):
        return _("This table is closed, so no one can write here.")
    if channel.is_epilogue:
        return ""
    if is_over(table):
        return _("The game is over. Write in the chat after the game instead.")
    fights = fights or partial(is_fighting, table)
    return _why_settings_forbid(channel, table, fights) or _why_alone(channel, table)


def allows_private_chat(table: Table) -> bool:
    """Return whether the settings allow private chat at all, now or when a battle is over."""
    is_silent = is_over(table) or is_closed(table) or table.anonymity == Table.Anonymity.NAMELESS
    return table.chat in (Table.Chat.ALL, Table.Chat.BETWEEN) and not is_silent


def _why_settings_forbid(channel: Channel, table: Table, fights: Callable[[], bool]) -> str:
    if table.anonymity == Table.Anonymity.NAMELESS:
        return _("Players at this table are anonymous, so the chat opens when the game starts.")
    match Table.Chat(table.chat):
        case Table.Chat.NONE if not table.is_gathering:
            return _("This table’s settings don’t allow chat during the game.")
        case Table.Chat.PUBLIC | Table.Chat.NONE if channel.is_private:
            return _("This table’s settings don’t allow private channels.")
        case Table.Chat.BETWEEN if fights():
            return _("This table’s settings don’t allow chat during a battle. Write when the battle is over.")
    return ""


def is_fighting(table: Table) -> bool:
    """Return whether a battle is going on at the table."""
    return Game.objects.running().filter(table=table, phase=Phase.BATTLE).exists()


def _why_alone(channel: Channel, table: Table) -> str:
    """Return why a private channel is pointless to write in: all its other members have left."""
    if not channel.is_private or channel.pk is None or len(still_in(channel, table)) > 1:
        return ""
    return _("Everyone else in this channel has left the table, so no one would read your message.")


def still_in(channel: Channel, table: Table) -> set[int]:
    """Return the numbers of a private channel's members who are still at the table."""
    seated = {seat.user_id for seat in table.all_seats()}
    return {member.user_id for member in channel.all_members if member.user_id and member.user_id in seated}
