"""Standing orders as they are stored until they end. What an order answers is in games.orders."""

from __future__ import annotations

from django.db import models

from games.models.games import Game
from games.orders import Aside, Fight, Order


class StandingOrder(models.Model):
    """A seat's standing order for the battle that is being fought. Deleted when it ends, never kept."""

    class Kind(models.TextChoices):
        ASIDE = "aside"
        FIGHT = "fight"

    game = models.ForeignKey(Game, models.CASCADE, related_name="standing_orders")
    seat = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=5, choices=Kind)
    cards = models.JSONField(default=list)  # to fight on with, in this order
    limit = models.PositiveSmallIntegerField(default=0)  # of a fight
    is_firm = models.BooleanField(default=False)  # passes where it would ask: with one rival, at the limit
    ply = models.PositiveIntegerField()  # of the first log entry after it

    class Meta:
        constraints = (models.UniqueConstraint(fields=["game", "seat"], name="standing_order_once"),)

    def __str__(self) -> str:
        return f"{self.game}: seat {self.seat}, {self.kind}"

    @property
    def order(self) -> Order:
        """The order as the pure functions of games.orders take it."""
        if self.kind == self.Kind.ASIDE:
            return Aside(self.is_firm)
        return Fight(tuple(self.cards), self.limit, self.is_firm)
