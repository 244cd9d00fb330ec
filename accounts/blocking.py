"""Whom somebody does not want to play with. Nobody but he himself ever learns of it.

Knows no table: games.services keeps it when seats are offered.
"""

from __future__ import annotations

from django.utils.crypto import salted_hmac

from accounts.models import Block, User

MOST_BLOCKS = 500


def block(by: User, whom: User) -> bool:
    """From now on; twice is once. False: he blocks too many already, or himself."""
    if by.pk == whom.pk or by.blocks.count() >= MOST_BLOCKS:
        return False
    Block.objects.get_or_create(by=by, whom=whom)
    return True


def unblock(by: User, key: str) -> bool:
    """The block of this key is taken back; False: there is none."""
    found = next((one for one in blocks_of(by) if block_key(one) == key), None)
    if found is None:
        return False
    found.delete()
    return True


def blocks_of(user: User) -> list[Block]:
    """His own, the oldest first."""
    return list(user.blocks.select_related("whom").order_by("pk"))


def block_key(one: Block) -> str:
    """By what a block is named in a form: nothing that counts people, or blocks of others."""
    return salted_hmac("accounts.blocking", f"{one.by_id} {one.whom_id}", algorithm="sha256").hexdigest()[:20]


def is_blocked(whom: User, *, by: list[int]) -> bool:
    """Whether any of these people, by their numbers, does not want to play with him."""
    return Block.objects.filter(whom=whom, by__in=by).exists()
