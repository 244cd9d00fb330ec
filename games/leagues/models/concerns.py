"""What players tell the organisers of a league, and the answers."""

from __future__ import annotations

from collections.abc import Collection

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.models import User
from games.leagues.models.rounds import LeagueTable, SeatAssignment
from games.leagues.models.seasons import Season
from games.models import Seat

LONGEST_CONCERN = 1000


class ConcernQuerySet(models.QuerySet["Concern"]):
    def to_decide(self, leagues: Collection[int], organiser: User) -> ConcernQuerySet:
        """What is open in these leagues and their organiser decides about."""
        return self.readable_to(leagues, organiser).filter(outcome="")

    def readable_to(self, leagues: Collection[int], organiser: User) -> ConcernQuerySet:
        """What this organiser decides about, or might have decided about before it was answered.

        That is neither what they told themselves nor what is about a table at which they sit or were seated.
        """
        found = self.filter(season__league__in=leagues).exclude(by=organiser)
        seated = Seat.objects.filter(user=organiser, table__in=found.values("table__table")).values("table")
        own = SeatAssignment.objects.filter(entry__user=organiser).values("table")
        sits = Q(table__table__in=seated) | Q(table__in=own)
        return found.exclude(Q(table__isnull=False) & sits)


class Concern(models.Model):
    """What a player told the organisers about a table or a season, and what they did about it.

    Only its author and the organisers who decide about it read the texts.
    """

    class About(models.TextChoices):
        SLOW = "slow", pgettext_lazy("about what a player writes", "A slow player")
        RESULT = "result", pgettext_lazy("about what a player writes", "A result")
        CONDUCT = "conduct", pgettext_lazy("about what a player writes", "How someone behaves")
        OTHER = "other", pgettext_lazy("about what a player writes", "Something else")

    class Outcome(models.TextChoices):
        AWARD = "award", pgettext_lazy("what an organiser did", "I awarded points")
        MORE_TIME = "more time", pgettext_lazy("what an organiser did", "I gave more time")
        OTHER = "other", pgettext_lazy("what an organiser did", "I did something else")
        NOTHING = "nothing", pgettext_lazy("what an organiser did", "Nothing has to be done")

    season = models.ForeignKey(Season, models.CASCADE, related_name="concerns")
    table = models.ForeignKey(
        LeagueTable, models.CASCADE, related_name="concerns", null=True, blank=True
    )  # null: it is about the season
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    about = models.CharField(max_length=7, choices=About)
    text = models.TextField(max_length=LONGEST_CONCERN)
    told_at = models.DateTimeField(default=clock.now, editable=False)
    outcome = models.CharField(max_length=9, choices=Outcome, blank=True)  # empty: it is open
    answer = models.TextField(max_length=LONGEST_CONCERN, blank=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    answered_at = models.DateTimeField(null=True, blank=True)

    objects = ConcernQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.by} about {self.table or self.season}"

    @property
    def is_open(self) -> bool:
        return not self.outcome
