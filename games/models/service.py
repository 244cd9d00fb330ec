"""When this site looked at its clocks, and when it was down."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """The one row that says when this site last looked at its clocks: a gap means that it was down."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.at)


class OutageQuerySet(models.QuerySet["Outage"]):
    def open(self) -> OutageQuerySet:
        """Those whose time not every game has been given back, in the order in which they were."""
        return self.filter(given_up_to__isnull=False).order_by("start", "pk")


class Outage(models.Model):
    """A span in which the service was down. Nobody's time is counted in it."""

    start = models.DateTimeField()
    end = models.DateTimeField()
    # The last game, by number, that was given this time back, while that goes on; null: all were.
    given_up_to = models.PositiveBigIntegerField(null=True, blank=True, default=0)

    objects = OutageQuerySet.as_manager()

    class Meta:
        ordering = ("-end",)

    def __str__(self) -> str:
        return f"{self.start} to {self.end}"
