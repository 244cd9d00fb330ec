"""What is stored of the talk at a table: messages, written once and rendered once, never changed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.safestring import SafeString

from accounts import present
from accounts.composed import Statement
from games.models import Table


class MessageQuerySet(models.QuerySet["Message"]):
    def on_board(self, table: Table) -> MessageQuerySet:
        """What the whole table reads, the oldest first."""
        return self.filter(table=table).order_by("pk")


class Message(models.Model):
    """What somebody wrote on a table's public board. `html` is made from `text` when it is written."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="messages", db_index=False)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="messages", null=True, blank=True
    )  # null: a person who has been deleted
    text = models.TextField()
    html = models.TextField(editable=False)
    written_at = models.DateTimeField(default=present.now, editable=False)

    objects = MessageQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        indexes = (models.Index(fields=["table", "id"], name="message_board"),)

    def __str__(self) -> str:
        return f"{self.table_id}:{self.pk}"

    @property
    def body(self) -> SafeString:
        """The stored HTML, which games.press.rendering made safe."""
        return SafeString(self.html)


_LAST = 2**63 - 1
_NEWEST = Statement(
    "SELECT {message} FROM press_message AS message WHERE message.table_id = %s AND message.id < %s"
    " ORDER BY message.id DESC LIMIT %s",
    message=Message,
)


def newest_messages(table: Table, most: int, before: int = 0) -> list[Message]:
    """What was written last on a table's board, or last before one message, the newest first.

    By a statement composed once, for every page of a game asks it.
    """
    return [message for (message,) in _NEWEST.rows(table.pk, before or _LAST, most)]
