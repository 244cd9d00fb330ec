"""Messages the site vouches for: shown cards and sealed notes."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from games.chat.models.messages import Message
from games.models import Game


class ShownCards(models.Model):
    """Cards that a player held when they showed them to a channel (R24). Never changed."""

    message = models.OneToOneField(Message, models.CASCADE, related_name="shown")
    game = models.ForeignKey(Game, models.CASCADE, related_name="+")
    seat = models.PositiveSmallIntegerField()
    cards = models.JSONField()  # card names, in the order of the rules
    # of the position in which they held them; shown once the game is over
    ply = models.PositiveIntegerField()
    # the same position in steps, which everyone at the table counts alike (R17)
    step = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.message}: {self.cards}"


class SealedNote(models.Model):
    """A note that only its writer can read before an event. Until then its words are stored only here."""

    class Opens(models.TextChoices):
        BATTLE = "battle", _("When this battle ends, or the next one if none is being fought")
        REGION = "region", _("When a region is taken")
        GAME = "game", _("When the game ends")

    message = models.OneToOneField(Message, models.CASCADE, related_name="seal")
    game = models.ForeignKey(Game, models.CASCADE, related_name="seals")
    opens = models.CharField(max_length=6, choices=Opens)
    # to be taken, or fought for when the note was sealed
    region = models.CharField(max_length=20, blank=True)
    text = models.TextField(blank=True)  # empty once withdrawn, or opened, because then the message has it
    salt = models.CharField(max_length=32)  # hex; published with the words
    digest = models.CharField(max_length=64)  # SHA-256 of salt and words, hex; published at once
    made_ply = models.PositiveIntegerField()
    checked_step = (
        models.PositiveIntegerField()
    )  # the event had not happened up to this step; once opened: the step at which it happened
    opened_at = models.DateTimeField(
        null=True, blank=True
    )  # or when it was withdrawn with its writer's account
    opened = models.OneToOneField(
        Message, models.SET_NULL, related_name="opened_seal", null=True, blank=True
    )  # the message with its words

    class Meta:
        indexes = (
            models.Index(fields=["game"], name="seal_closed", condition=models.Q(opened_at__isnull=True)),
        )

    def __str__(self) -> str:
        return f"{self.message}: opens at {self.opens} {self.region}".rstrip()

    @property
    def is_withdrawn(self) -> bool:
        """Return whether the writer deleted their account before the note opened.

        No one will ever read it.
        """
        return self.opened_at is not None and self.opened_id is None
