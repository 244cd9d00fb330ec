"""The table that 0.1.0 doesn't have."""

from django.db import models


class Sight(models.Model):
    name = models.CharField(max_length=20)

    def __str__(self) -> str:
        return self.name
