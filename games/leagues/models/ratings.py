"""The rating of each player, one for each edition, how it came about, and rated tables outside leagues."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from games.models import Table

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


class RatingChange(models.Model):
    """A player's rating after one table, recomputed with the ratings themselves."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    edition = models.CharField(max_length=8)
    table = models.ForeignKey(Table, models.CASCADE, related_name="+")
    at = models.DateTimeField()  # when the table's last game ended
    mu = models.FloatField()
    sigma = models.FloatField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=["table", "user"], name="rating_change_once"),)
        indexes = (models.Index(fields=["edition", "-at", "-table"], name="rating_change_latest"),)

    def __str__(self) -> str:
        return f"{self.user}, {self.edition}, {self.at}"


class RatedTable(models.Model):
    """A finished table outside leagues whose players agreed to have it rated.

    `facts` holds its results, as LeagueTable.facts does; null: not computed yet.
    """

    table = models.OneToOneField(Table, models.CASCADE, related_name="+")
    edition = models.CharField(max_length=8)
    ended_at = models.DateTimeField()
    facts = models.JSONField(null=True, blank=True)
    rated_at = models.DateTimeField(null=True, blank=True, editable=False)  # as LeagueTable.rated_at

    class Meta:
        indexes = (
            models.Index(
                fields=["edition"], name="rated_table_unrated", condition=models.Q(rated_at__isnull=True)
            ),
        )

    def __str__(self) -> str:
        return f"{self.table}"
