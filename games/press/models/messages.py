"""Messages: written once and rendered once, never changed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts import present
from games.press.models.circles import Circle
from games.press.models.mutes import Mute

TAKEN_OUT = gettext_noop("(taken out by its writer)")  # in place of words whose writer took them with him


def body_of(text: str, html: str) -> SafeString:
    """The stored HTML, which games.press.text.rendering made safe; of words that are gone, that they are."""
    return format_html("<p>{}</p>", _(TAKEN_OUT)) if text == TAKEN_OUT else SafeString(html)


class Message(models.Model):
    """Something said in a circle, in words or as the table says it. `html` is made from `text` once.

    Its number counts the circle's messages: nothing that a reader sees counts what others say elsewhere.
    """

    class Kind(models.TextChoices):
        """Who vouches for it. What the table says never comes from a text."""

        WORDS = "words"  # its author, and nobody else
        SHOWN = "shown"  # the table: cards that the author held (games.press.models.ShownCards)
        SEALED = "sealed"  # the table: a letter that opens at an event (games.press.models.Seal)
        BARGAIN = "bargain"  # the table: what became of a bargain; `event` says what
        OPENED = "opened"  # the table: the author's sealed letter has been opened
        SILENCED = "silenced"  # the table: somebody was silenced here, or may write again; `event` says which

    circle = models.ForeignKey(Circle, models.CASCADE, related_name="messages", db_index=False)
    number = models.PositiveIntegerField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="messages", null=True, blank=True
    )  # null: a person who has been deleted, or the table itself
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.WORDS)
    event = models.CharField(max_length=12, blank=True)
    bargain = models.ForeignKey(
        "press.Bargain", models.CASCADE, related_name="messages", null=True, blank=True
    )
    text = models.TextField(blank=True)
    html = models.TextField(blank=True, editable=False)
    written_at = models.DateTimeField(default=present.now, editable=False)

    is_muted = False  # whether who it was read for does not want to read its author

    class Meta:
        ordering = ("circle", "number")
        constraints = (models.UniqueConstraint(fields=["circle", "number"], name="message_number_once"),)
        indexes = (models.Index(fields=["author", "circle"], name="message_author"),)

    def __str__(self) -> str:
        return f"{self.circle}:{self.number}"

    @property
    def body(self) -> SafeString:
        """What is shown of it."""
        return body_of(self.text, self.html)


def newest_messages(circle: Circle, most: int, before: int = 0, reader: int | None = None) -> list[Message]:
    """What was said last in a circle, or last before one message, the newest first; the reader by their
    number."""
    if not circle.pk:
        return []
    muted = Mute.objects.filter(table=circle.table_id, by=reader, whom=models.OuterRef("author"))
    messages = circle.messages.filter(number__lt=before) if before else circle.messages.all()
    told = messages.annotate(is_muted=models.Exists(muted))  # type: ignore[no-redef]  # False if not asked for
    return list(told.order_by("-number")[:most])
