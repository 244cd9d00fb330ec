"""Mutes: who does not want to read whom."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts import present
from games.models import Table


class Mute(models.Model):
    """Somebody does not want to read what another writes at a table. Nobody else sees it."""

    table = models.ForeignKey(Table, models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="mutes")
    whom = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    since = models.DateTimeField(default=present.now)

    class Meta:
        constraints = (models.UniqueConstraint(fields=["table", "by", "whom"], name="mute_once"),)

    def __str__(self) -> str:
        return f"{self.by} does not read {self.whom} at {self.table}"
