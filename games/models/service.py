"""When this site looked at its clocks, and when it was down."""

from __future__ import annotations

from django.db import models


class Heartbeat(models.Model):
    """The one row that says when this site last looked at its clocks: a gap means that it was down."""

    at = models.DateTimeField()

    def __str__(self) -> str:
        return str(self.at)


class Outage(models.Model):
    """A span in which the service was down. Nobody's time is counted in it. Never updated."""

    start = models.DateTimeField()
    end = models.DateTimeField()

    class Meta:
        ordering = ("-end",)

    def __str__(self) -> str:
        return f"{self.start} to {self.end}"
