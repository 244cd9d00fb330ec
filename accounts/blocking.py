"""Blocking: a person's private list of people they do not want to play with.

Knows nothing about tables: games.services applies it when seats are offered.
"""

from __future__ import annotations

from django.utils.crypto import salted_hmac

from accounts.models import Block, User

MOST_BLOCKS = 500


def block(by: User, whom: User) -> bool:
    """Block a person. Return False for oneself, or if the list is full. Safe to repeat."""
    if by.pk == whom.pk or by.blocks.count() >= MOST_BLOCKS:
        return False
    Block.objects.get_or_create(by=by, whom=whom)
    return True


def unblock(by: User, key: str) -> bool:
    """Remove the block with this key; return False if there is none."""
    found = next((one for one in blocks_of(by) if block_key(one) == key), None)
    if found is None:
        return False
    found.delete()
    return True


def blocks_of(user: User) -> list[Block]:
    """Return the user's own blocks, oldest first."""
    return list(user.blocks.select_related("whom").order_by("pk"))


def block_key(one: Block) -> str:
    """Return a form key for a block that reveals no row numbers and no other blocks."""
    return salted_hmac("accounts.blocking", f"{one.by_id} {one.whom_id}", algorithm="sha256").hexdigest()[:20]


def is_blocked(whom: User, *, by: list[int]) -> bool:
    """Return whether any of these people, given by primary key, blocks this person, or this bot's owner."""
    return Block.objects.filter(whom__in=[whom.pk, whom.owner_id or whom.pk], by__in=by).exists()
