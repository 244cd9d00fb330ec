"""Rounds of a division, their tables, seats and byes, and the points awarded at a table."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models

from accounts import clock
from games.leagues.models.registrations import Division, Registration
from games.models import Table


class Round(models.Model):
    """The k-th table of each player of a division: who meets whom. Its tables begin and end independently."""

    division = models.ForeignKey(Division, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    # Null before the draw, and never changed after it: `tables` and `byes` as user IDs, each table from its
    # first Condottiere on, and `scores` as fractions by user ID, if players with equal scores were paired.
    # The first round also has `away`: the user IDs of those who were on holiday as it was drawn, and
    # `sized_for`: the number of rounds that the tables of all rounds have their sizes for (missing: one).
    draw = models.JSONField(null=True, blank=True, editable=False)
    # The final of the season is one table in a round of its own, of the highest division: it gives no points,
    # and its players may be of several divisions. It is stored as it begins.
    is_final = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=["division", "number"], name="round_number_once"),)

    def __str__(self) -> str:
        return f"{self.division}, round {self.number}"


class LeagueTableQuerySet(models.QuerySet["LeagueTable"]):
    def planned(self) -> LeagueTableQuerySet:
        """Tables that are drawn but have not begun."""
        return self.filter(table=None)

    def running(self) -> LeagueTableQuerySet:
        """Tables that have begun and whose result is not counted yet."""
        return self.filter(table__isnull=False, collected_at=None)


class LeagueTable(models.Model):
    """A table of a round, from its draw on. It begins once all its players have room for it.

    `facts` holds the results of its finished games, from which standings are computed.
    It is a copy that can be recomputed at any time.
    """

    round = models.ForeignKey(Round, models.CASCADE, related_name="tables")
    number = models.PositiveSmallIntegerField()
    table = models.OneToOneField(
        Table, models.PROTECT, related_name="+", null=True, blank=True
    )  # null: it has not begun
    waits_since = models.DateTimeField(
        null=True, blank=True
    )  # when it could have begun, but for players who were away
    begins_at = models.DateTimeField(null=True, blank=True)  # when it began
    ends_at = models.DateTimeField(null=True, blank=True)  # when it is extended or adjudicated
    is_extended = models.BooleanField(default=False)
    reminded_at = models.DateTimeField(null=True, blank=True)
    outage = models.PositiveBigIntegerField(
        default=0, editable=False
    )  # pk of the last site outage whose time was given back
    facts = models.JSONField(null=True, blank=True)  # as results/stored_facts.py writes; null: not over yet
    collected_at = models.DateTimeField(null=True, blank=True)
    rated_at = models.DateTimeField(
        null=True, blank=True, editable=False
    )  # when ratings were last recomputed because of it; null: they must be, once it is collected

    objects = LeagueTableQuerySet.as_manager()

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

    @property
    def game_table(self) -> Table:
        """The games' table; only for a table that has begun."""
        assert self.table is not None
        return self.table

    @property
    def deadline(self) -> datetime:
        """When its time is over; only for a table that has begun."""
        assert self.ends_at is not None
        return self.ends_at


class SeatAssignment(models.Model):
    """A player's original seat at a table, by seat number; the game knows who sits there now.

    Number 0 is the first Condottiere, except at an anonymous table, which draws both when it begins.
    """

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
    """A round that a player sits out, as there are too few players for another table."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="byes")
    entry = models.ForeignKey(Registration, models.PROTECT, related_name="byes")

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["round", "entry"], name="bye_once"),)

    def __str__(self) -> str:
        return f"{self.entry} sits out {self.round}"


class MissedRound(models.Model):
    """A round whose table began without a player who was away, and the table they got in its place."""

    round = models.ForeignKey(Round, models.CASCADE, related_name="missed")
    entry = models.ForeignKey(Registration, models.PROTECT, related_name="missed")
    at = models.DateTimeField(default=clock.now, editable=False)
    make_up = models.ForeignKey(
        LeagueTable, models.SET_NULL, related_name="made_up_for", null=True, blank=True
    )  # null: none has begun

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["round", "entry"], name="missed_round_once"),)

    def __str__(self) -> str:
        return f"{self.entry} missed {self.round}"


class Award(models.Model):
    """Points and results that an organiser gave to a table's seats, whatever was played. The last counts."""

    table = models.ForeignKey(LeagueTable, models.CASCADE, related_name="awards")
    points = models.JSONField()  # a whole number or null for each position; null: as played
    results = models.JSONField(null=True, blank=True)  # place and regions for each position; null: as played
    reason = models.TextField(max_length=1000)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.table}: {self.points}"
