"""What happens to a running game beside its moves: proposals, seats that change hands, and its clocks."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from games.models.games import Game


class Proposal(models.Model):
    """What a player of a running game proposes to all: to end it (R49), to pause its clocks or to give more
    time. One at a time can be open."""

    class What(models.TextChoices):
        MOST_REGIONS = "most regions", _("the player with the most regions wins")
        NONE = "none", _("nobody wins")
        PAUSE = "pause", _("the clocks rest for some days")
        GO_ON = "go on", _("the clocks run again")
        MORE_TIME = "more time", _("the players who are asked get more time")

    game = models.ForeignKey(Game, models.CASCADE, related_name="proposals")
    seat = models.PositiveSmallIntegerField()  # who proposes it
    what = models.CharField(max_length=12, choices=What)
    amount = models.PositiveSmallIntegerField(null=True, blank=True)  # days of a pause, hours of more time
    accepted = models.JSONField(default=list)  # seats, the proposer's among them
    made_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)  # accepted by all, refused or withdrawn

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["game"], name="proposal_open_once", condition=models.Q(closed_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return f"{self.game}: {self.what}"


class SeatChange(models.Model):
    """A seat that went to somebody else while a game ran (R49). Never updated."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="seat_changes")
    seat = models.PositiveSmallIntegerField()
    ply = models.PositiveIntegerField()  # of the first log entry that the new holder can make
    before = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )  # who gave it up; null: a bot
    after = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )  # null: a bot
    at = models.DateTimeField()

    class Meta:
        ordering = ("ply", "pk")

    def __str__(self) -> str:
        return f"{self.game}: seat {self.seat} from ply {self.ply}"


class TimeEvent(models.Model):
    """Something that was done to a running game's clocks, for the table to see. Never updated."""

    class Kind(models.TextChoices):
        PAUSED = "paused"
        RESUMED = "resumed"
        EXTENDED = "extended"
        CREDITED = "credited"  # the service was down, or could not write
        STOOD_IN = "stood in"  # a bot, for a player who stays away
        BACK = "back"  # that player

    game = models.ForeignKey(Game, models.CASCADE, related_name="time_events")
    kind = models.CharField(max_length=8, choices=Kind)
    ply = models.PositiveIntegerField()  # of the first log entry after it
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # whose; null: everybody's
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )  # null: all together, or the site
    until = models.DateTimeField(null=True, blank=True)  # of a pause
    amount = models.DurationField(null=True, blank=True)  # of an extension or a credit
    at = models.DateTimeField()

    class Meta:
        ordering = ("ply", "pk")

    def __str__(self) -> str:
        return f"{self.game}: {self.kind}"
