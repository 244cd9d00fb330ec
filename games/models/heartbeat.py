"""When this site last checked its clocks, and when it was down."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """The single row that says when this site last checked its clocks; a gap means that it was down."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.at)


class OutageQuerySet(models.QuerySet["Outage"]):
    def open(self) -> OutageQuerySet:
        """Return the outages whose time has not been given back to every game, in order."""
        return self.filter(given_up_to__isnull=False).order_by("start", "pk")


class Outage(models.Model):
    """A span in which the service was down. Its time does not count for anyone."""

    start = models.DateTimeField()
    end = models.DateTimeField()
    # The number of the last game given this time back so far; null: all games were.
    given_up_to = models.PositiveBigIntegerField(null=True, blank=True, default=0)

    objects = OutageQuerySet.as_manager()

    class Meta:
        ordering = ("-end",)

    def __str__(self) -> str:
        return f"{self.start} to {self.end}"
