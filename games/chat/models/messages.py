"""Messages of a channel: written and rendered once, never changed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, gettext_noop

from accounts import clock
from games.chat.models.channels import Channel, Mute

TAKEN_OUT = gettext_noop("(removed by its author)")  # replaces words that a deleted writer took along


def body_of(text: str, html: str) -> SafeString:
    """Return the stored HTML, which games.chat.text made safe.

    If the words were removed, return a note that says so.
    """
    return format_html("<p>{}</p>", gettext(TAKEN_OUT)) if text == TAKEN_OUT else SafeString(html)


class Message(models.Model):
    """A message in a channel, by a player or by the site. `html` is made from `text` once.

    Messages are numbered per channel, so that numbers don't reveal how much is said elsewhere.
    """

    class Kind(models.TextChoices):
        """Kinds of messages. Only the author vouches for words; the site vouches for all other kinds."""

        WORDS = "words"  # only its author
        SHOWN = "shown"  # the site: cards that the author held (games.chat.models.ShownCards)
        SEALED = "sealed"  # the site: a note that opens at an event (games.chat.models.SealedNote)
        DEAL = "deal"  # the site: what became of a deal; `event` says what
        OPENED = "opened"  # the site: the author's sealed note was opened
        BANNED = "banned"  # the site: someone was banned here, or may write again; `event` says which

    channel = models.ForeignKey(Channel, models.CASCADE, related_name="messages", db_index=False)
    number = models.PositiveIntegerField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="messages", null=True, blank=True
    )  # null: a deleted person, or the site
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.WORDS)
    event = models.CharField(max_length=12, blank=True)
    deal = models.ForeignKey("chat.Deal", models.CASCADE, related_name="messages", null=True, blank=True)
    text = models.TextField(blank=True)
    html = models.TextField(blank=True, editable=False)
    written_at = models.DateTimeField(default=clock.now, editable=False)

    is_muted = False  # whether the person it was queried for mutes its author

    class Meta:
        ordering = ("channel", "number")
        constraints = (models.UniqueConstraint(fields=["channel", "number"], name="message_number_once"),)
        indexes = (models.Index(fields=["author", "channel"], name="message_author"),)

    def __str__(self) -> str:
        return f"{self.channel}:{self.number}"

    @property
    def body(self) -> SafeString:
        """Return the HTML to show."""
        return body_of(self.text, self.html)


def newest_messages(channel: Channel, most: int, before: int = 0, reader: int | None = None) -> list[Message]:
    """Return the last messages of a channel, or the last before one message, newest first.

    `reader` is a user's number.
    """
    if not channel.pk:
        return []
    muted = Mute.objects.filter(table=channel.table_id, by=reader, whom=models.OuterRef("author"))
    messages = channel.messages.filter(number__lt=before) if before else channel.messages.all()
    marked = messages.annotate(is_muted=models.Exists(muted))  # type: ignore[no-redef]  # False without a reader
    return list(marked.order_by("-number")[:most])
