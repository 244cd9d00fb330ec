"""What a player at a practice table asks Strategist: one row for each turn that they asked about."""

from __future__ import annotations

from django.db import models

from games.models.games import Game


class Advice(models.Model):
    """A turn about which its player asked what Strategist would play, with the answer once there is one."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="advice")
    ply = models.PositiveIntegerField()  # of the position
    seat = models.PositiveSmallIntegerField()
    asked_at = models.DateTimeField()
    # the move, the chance to win, and for a battle the strengths; null: still to be thought about
    answer = models.JSONField(null=True, blank=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["game", "ply", "seat"], name="advice_once"),)
        indexes = (
            models.Index(fields=["asked_at"], name="advice_asked", condition=models.Q(answer__isnull=True)),
        )

    def __str__(self) -> str:
        return f"{self.game}: seat {self.seat} at {self.ply}"
