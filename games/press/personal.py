"""A person's own messages: what he can take with him, and what becomes of them when he is deleted."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from accounts.models import Block, User
from games.press.commands.unsealing import withdraw_seals
from games.press.models import Bargain, Following, Member, Message, Mute, Party, Report, Seal


def export(user: User) -> dict[str, Any]:
    """Everything he wrote at tables, the oldest first, as plain JSON."""
    written = Message.objects.filter(author=user).select_related("circle__table").order_by("pk")
    return {
        "messages": [
            {
                "table": message.circle.table.name,
                "written_at": message.written_at.isoformat(),
                "text": message.text,
            }
            for message in written
        ],
        "letters_still_sealed": list(
            Seal.objects.filter(message__author=user, opened_at__isnull=True)
            .order_by("pk")
            .values("game", "opens", "region", "text", "salt", "digest")
        ),
    }


def forget(user: User) -> None:
    """What he said stays for those he said it to, and names nobody any more; his own settings are gone.

    A letter of his that is sealed still will never be opened.
    """
    withdraw_seals(user)
    Message.objects.filter(author=user).update(author=None)
    Bargain.objects.filter(author=user).update(author=None)
    Member.objects.filter(user=user).update(user=None)
    Party.objects.filter(user=user).update(user=None)
    Report.objects.filter(by=user).update(by=None)
    Following.objects.filter(user=user).delete()
    Mute.objects.filter(Q(by=user) | Q(whom=user)).delete()
    Block.objects.filter(Q(by=user) | Q(whom=user)).delete()
