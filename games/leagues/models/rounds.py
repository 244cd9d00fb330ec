"""Rounds of a division, their tables, seats and byes, and the ratings that follow."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts import clock
from games.leagues.models.seasons import Division, Registration
from games.models import Table


class Round(models.Model):
    """A round of a division. It begins when its start has come and the one before is closed."""

    class State(models.TextChoices):
        PLANNED = "planned", _("to come")
        PLAYING = "playing", _("being played")
        CLOSED = "closed", _("closed")

    division = models.ForeignKey(Division, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=7, choices=State, default=State.PLANNED)
    starts_at = models.DateTimeField()  # planned; when it begins: when it began
    ends_at = models.DateTimeField()  # when tables that still run are extended or adjudicated
    is_extended = models.BooleanField(default=False)
    reminded_at = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    scores = models.JSONField(
        null=True, blank=True, editable=False
    )  # what everybody had when tables gathered equal scores: fractions by account; later awards change none
    outage = models.PositiveBigIntegerField(
        default=0, editable=False
    )  # pk of the last outage of the site whose time it was given back

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=["division", "number"], name="round_number_once"),)
        indexes = (
            models.Index(fields=["division"], name="round_playing", condition=models.Q(state="playing")),
        )

    def __str__(self) -> str:
        return f"{self.division}, round {self.number}"


class LeagueTable(models.Model):
    """A table of a round. `facts` is what its finished games come to, as the standings are computed from it:
    a copy, which can be made again at any time."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="tables")
    number = models.PositiveSmallIntegerField()
    table = models.OneToOneField(Table, models.PROTECT, related_name="+")
    facts = models.JSONField(null=True, blank=True)  # games.leagues.results.facts_json; null: not over yet
    collected_at = models.DateTimeField(null=True, blank=True)
    rated_at = models.DateTimeField(
        null=True, blank=True, editable=False
    )  # when ratings took it into account, if only as one that is not rated; null: they have yet to

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=["round", "number"], name="league_table_number_once"),)
        indexes = (
            models.Index(
                fields=["table"], name="league_table_runs", condition=models.Q(collected_at__isnull=True)
            ),
            models.Index(
                fields=["collected_at"],
                name="league_table_unrated",
                condition=models.Q(collected_at__isnull=False, rated_at__isnull=True),
            ),
        )

    def __str__(self) -> str:
        return f"{self.round}, table {self.number}"


class SeatAssignment(models.Model):
    """Who was seated where when a table began, by the number of the seat. Number 0 is the first Condottiere,
    but at an anonymous table, where both are drawn. Whoever sits there now is told by the game."""

    table = models.ForeignKey(LeagueTable, models.CASCADE, related_name="assignments")
    position = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Registration, models.PROTECT, related_name="assignments")

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=["table", "position"], name="assignment_once"),
            models.UniqueConstraint(fields=["table", "entry"], name="assignment_person_once"),
        )

    def __str__(self) -> str:
        return f"{self.entry} at {self.table}"


class Bye(models.Model):
    """Somebody who sits a round out, for numbers did not divide."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="byes")
    entry = models.ForeignKey(Registration, models.PROTECT, related_name="byes")

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["round", "entry"], name="bye_once"),)

    def __str__(self) -> str:
        return f"{self.entry} sits out {self.round}"


class Award(models.Model):
    """Points that an organiser gave to a table's seats, whatever was played. The last award counts."""

    table = models.ForeignKey(LeagueTable, models.CASCADE, related_name="awards")
    points = models.JSONField()  # a whole number or null for each position; null: as played
    reason = models.TextField(max_length=1000)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.table}: {self.points}"


# How strong players have shown themselves, and the tables that tell. All of it can be computed anew.


BEST_FIRST = (models.F("mu") - 3 * models.F("sigma")).desc()  # by what somebody is almost surely worth


class Rating(models.Model):
    """Somebody's rating in one edition, after all tables that are rated so far."""

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
    """What one table did to a rating: the rating after it."""

    rating = models.ForeignKey(Rating, models.CASCADE, related_name="changes")
    table = models.ForeignKey(LeagueTable, models.CASCADE, related_name="rating_changes")
    mu = models.FloatField()
    sigma = models.FloatField()

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["rating", "table"], name="rating_change_once"),)

    def __str__(self) -> str:
        return f"{self.rating} after {self.table}"
