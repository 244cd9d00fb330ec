"""What the table itself vouches for: cards that were shown, emails that were sealed."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from games.chat.models.channels import Message
from games.models import Game


class ShownCards(models.Model):
    """Cards that a player held when he showed them to a channel (R24). Never changed."""

    message = models.OneToOneField(Message, models.CASCADE, related_name="shown")
    game = models.ForeignKey(Game, models.CASCADE, related_name="+")
    seat = models.PositiveSmallIntegerField()
    cards = models.JSONField()  # their names, in the order of the rules
    ply = models.PositiveIntegerField()  # of the position in which he held them; told when the game is over
    step = models.PositiveIntegerField()  # the same as the whole table counts it (R17)

    def __str__(self) -> str:
        return f"{self.message}: {self.cards}"


class SealedNote(models.Model):
    """An email that nobody but its writer reads before an event. Its words are here alone until then."""

    class Opens(models.TextChoices):
        BATTLE = "battle", _("When this battle is over, or the next if none is being fought")
        REGION = "region", _("When a region is taken")
        GAME = "game", _("When the game is over")

    message = models.OneToOneField(Message, models.CASCADE, related_name="seal")
    game = models.ForeignKey(Game, models.CASCADE, related_name="seals")
    opens = models.CharField(max_length=6, choices=Opens)
    region = models.CharField(max_length=20, blank=True)  # to be taken, or fought for when it was sealed
    text = models.TextField(blank=True)  # empty once it is opened, for then the message has it, or withdrawn
    salt = models.CharField(max_length=32)  # hex; published with the words
    digest = models.CharField(max_length=64)  # SHA-256 of salt and words, hex; published at once
    made_ply = models.PositiveIntegerField()
    looked_step = (
        models.PositiveIntegerField()
    )  # up to here its event has not happened; once opened: where it has
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
        """Whether its writer deleted his account before it opened: nobody will ever read it."""
        return self.opened_at is not None and self.opened_id is None
