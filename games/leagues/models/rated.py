"""How strong players have shown themselves, and the tables that tell. All of it can be computed anew."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from games.leagues.models.rounds import LeagueTable

BEST_FIRST = (models.F("mu") - 3 * models.F("sigma")).desc()  # by what somebody is almost surely worth


class Rating(models.Model):
    """Somebody's rating in one edition, after all tables that are rated so far."""

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


class RatingChange(models.Model):
    """What one table did to a rating: the rating after it."""

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="changes")
    table = models.ForeignKey(LeagueTable, models.CASCADE, related_name="rating_changes")
    mu = models.FloatField()
    sigma = models.FloatField()

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["rating", "table"], name="rating_change_once"),)

    def __str__(self) -> str:
        return f"{self.rating} after {self.table}"
