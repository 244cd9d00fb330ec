"""What is stored of the talk at a table: messages, written once and rendered once, never changed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.safestring import SafeString

from accounts import present
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
