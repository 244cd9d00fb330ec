"""The rating of each player, one for each edition."""

from __future__ import annotations

from django.conf import settings
from django.db import models

BEST_FIRST = (models.F("mu") - 3 * models.F("sigma")).desc()  # a strength that the player almost surely has


class Rating(models.Model):
    """A player's rating in one edition, recomputed when a table of it ends."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    edition = models.CharField(max_length=8)
    mu = models.FloatField()
    sigma = models.FloatField()
    tables = models.PositiveIntegerField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["user", "edition"], name="rating_once"),)
        indexes = (models.Index("edition", BEST_FIRST, "user", name="rating_best"),)

    def __str__(self) -> str:
        return f"{self.user}, {self.edition}"
