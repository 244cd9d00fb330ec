"""Groups that people make of those they play with."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts import clock
from accounts.characters import CODE_POINTS

LONGEST_GROUP_NAME = 40
MOST_GROUPS = 20  # of one person
MOST_MEMBERS = 20  # of one group


class PlayerGroup(models.Model):
    """People whom its owner invites together, such as “Sunday friends”. Only its owner knows of it."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="player_groups")
    name = models.CharField(max_length=LONGEST_GROUP_NAME * CODE_POINTS)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+")
    made_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=["owner", "name"], name="player_group_once"),)

    def __str__(self) -> str:
        return self.name
