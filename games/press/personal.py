"""A person's own messages: what he can take with him, and what becomes of them when he is deleted."""

from __future__ import annotations

from typing import Any

from accounts.models import User
from games.press.models import Message


def export(user: User) -> dict[str, Any]:
    """Everything he wrote at tables, the oldest first, as plain JSON."""
    written = Message.objects.filter(author=user).select_related("table").order_by("pk")
    return {
        "messages": [
            {
                "table": message.table.name,
                "written_at": message.written_at.isoformat(),
                "text": message.text,
            }
            for message in written
        ]
    }


def forget(user: User) -> None:
    """His messages stay for those he wrote them to, and name nobody any more."""
    Message.objects.filter(author=user).update(author=None)
