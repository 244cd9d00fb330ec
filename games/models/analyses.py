"""Analyses of finished games: what Strategist thinks of each move, as far as it has got."""

from __future__ import annotations

from django.db import models

from games.models.games import Game


class Analysis(models.Model):
    """The analysis of one game. It names no person: no one can read in it who asked."""

    game = models.OneToOneField(Game, models.CASCADE, related_name="analysis")
    asked_at = models.DateTimeField()
    # per move, in order: what `games.services.analysis` writes
    judged = models.JSONField(default=list)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "analyses"
        indexes = (
            models.Index(
                fields=["asked_at"], name="analysis_asked", condition=models.Q(ended_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return f"analysis of {self.game}"

    @property
    def has_gaps(self) -> bool:
        """Whether it ended although moves could not be judged, so that it can be asked for again."""
        are_judged = self.judged and all("chances" in one for one in self.judged)
        return self.ended_at is not None and not are_judged
