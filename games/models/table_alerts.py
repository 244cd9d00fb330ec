"""Wishes for an email about new open tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

from accounts import clock

if TYPE_CHECKING:
    pass


class TableAlert(models.Model):
    """A person's wish to get an email when someone opens a table that they could join."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="table_alert")
    since = models.DateTimeField(default=clock.now, editable=False)
    seen_until = models.DateTimeField(default=clock.now)  # when the newest table they know of was created

    def __str__(self) -> str:
        return f"{self.user}, since {self.since}"
