"""Bots of a person's own: accounts with which their programs play, by tokens alone.

A bot has no password, no sign-in and no address: it gets no emails. Its owner makes, renames and closes it.
"""

from __future__ import annotations

from uuid import uuid4

from django.db import transaction
from django.db.models import QuerySet

from accounts.models import User
from accounts.personal_data import erase_personal_data, leave_in_all_apps

MOST_BOTS = 3  # of one person
_DOMAIN = "bots.invalid"  # RFC 2606: a domain that never exists


def bots_of(owner: User) -> QuerySet[User]:
    """Return a person's bots that are not closed, oldest first."""
    return User.objects.filter(owner=owner, deleted_at=None).order_by("pk")


def locked_bots_of(owner: User) -> list[User]:
    """Return a person's bots, locked until the transaction ends: all of them before any of their tables."""
    return list(bots_of(owner).select_for_update(no_key=True))


@transaction.atomic
def make_bot(owner: User, name: str) -> User | None:
    """Make a bot with a name that was checked; None if its owner has as many as they may."""
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    if bots_of(owner).count() >= MOST_BOTS:
        return None
    return User.objects.create_user(
        f"{uuid4().hex}@{_DOMAIN}",
        owner=owner,
        name=name,
        name_chosen=True,
        language=owner.language,
        time_zone=owner.time_zone,
    )


def rename_bot(bot: User, name: str) -> None:
    """Give a bot another name, which was checked."""
    bot.name = name
    bot.save(update_fields=["name"])


@transaction.atomic
def close_bot(bot: User) -> None:
    """Close a bot for good, as a person's account is deleted: its games stay. Safe to repeat."""
    locked = User.objects.select_for_update(no_key=True).get(pk=bot.pk)
    if locked.deleted_at is None:
        erase_personal_data([locked])


@transaction.atomic
def switch_bots_off(owner: User) -> None:
    """Let a person's bots leave tables and leagues, because an operator closes the person's account.

    Call this before the person's own tables are left: accounts are locked before tables.
    """
    bots = locked_bots_of(owner)
    for bot in bots:
        bot.is_active = False
        bot.save(update_fields=["is_active"])
    for bot in bots:
        leave_in_all_apps(bot)
