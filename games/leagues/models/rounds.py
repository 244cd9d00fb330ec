"""Rounds of a division, their tables, seats and byes, ratings, and substitutes for open seats."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from accounts import clock
from games.leagues.models.seasons import Division, Registration, Season
from games.models import Table

LONGEST_NOTE = 2000


class Round(models.Model):
    """The k-th table of each player of a division: who meets whom. Its tables begin and end on their own."""

    division = models.ForeignKey(Division, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    # Null before the draw, and never changed after it: `tables` and `byes` as user IDs, each table from its
    # first Condottiere on, and `scores` as fractions by user ID, if players with equal scores were paired.
    draw = models.JSONField(null=True, blank=True, editable=False)

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


BEST_FIRST = (models.F("mu") - 3 * models.F("sigma")).desc()  # a strength that the player almost surely has


class Rating(models.Model):
    """A player's rating in one edition, recomputed when a table of it ends."""

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


# Substitutes, the open seats that need them, and the offers made to them.


class Substitute(models.Model):
    """A person who volunteers for seats that others leave.

    Substitutes are asked in the order of `turn_at`: someone who has just been asked comes last.
    """

    season = models.ForeignKey(Season, models.CASCADE, related_name="substitutes")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    registered_at = models.DateTimeField(default=clock.now, editable=False)
    turn_at = models.DateTimeField(default=clock.now)
    stopped_at = models.DateTimeField(null=True, blank=True)  # no longer asked from then on

    class Meta:
        ordering = ("turn_at", "pk")
        constraints = (models.UniqueConstraint(fields=["season", "user"], name="substitute_once"),)

    def __str__(self) -> str:
        return f"{self.user} for {self.season}"


class OpenSeat(models.Model):
    """A seat of a running table for which a substitute is sought, while a bot plays there."""

    class Why(models.TextChoices):
        AWAY = "away", pgettext_lazy("why a seat is free", "The player is away")
        WITHDRAWN = "withdrawn", pgettext_lazy("why a seat is free", "The player withdrew")
        EXPELLED = "expelled", pgettext_lazy("why a seat is free", "The player was expelled")
        LEFT = "left", pgettext_lazy("why a seat is free", "The player gave up the seat")

    class State(models.TextChoices):
        OPEN = "open", pgettext_lazy("free seat", "Looking for a substitute")
        TAKEN = "taken", pgettext_lazy("free seat", "Taken")
        NOBODY = (
            "nobody",
            pgettext_lazy("free seat", "No substitute found"),
        )  # an organiser decides, or the bot plays on
        CLOSED = (
            "closed",
            pgettext_lazy("free seat", "No longer free"),
        )  # its player is back, or the game is over

    SOUGHT = (State.OPEN, State.NOBODY)

    table = models.ForeignKey(LeagueTable, models.CASCADE, related_name="open_seats")
    seat = models.PositiveSmallIntegerField()  # its number at the games' table
    left_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    why = models.CharField(max_length=9, choices=Why)
    note = models.TextField(max_length=LONGEST_NOTE, blank=True)  # only for the person who takes the seat
    state = models.CharField(max_length=6, choices=State, default=State.OPEN)
    taken_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    opened_at = models.DateTimeField(default=clock.now, editable=False)
    closed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=["table", "seat"],
                name="open_seat_open_once",
                condition=models.Q(state__in=("open", "nobody")),
            ),
        )

    def __str__(self) -> str:
        return f"seat {self.seat} of {self.table}"


class SubstituteOffer(models.Model):
    """An offer of an open seat to a substitute, and their answer."""

    class Answer(models.TextChoices):
        OPEN = "open", pgettext_lazy("offer to a substitute", "Not answered yet")
        ACCEPTED = "accepted", pgettext_lazy("offer to a substitute", "Accepted")
        DECLINED = "declined", pgettext_lazy("offer to a substitute", "Declined")
        SILENT = "silent", pgettext_lazy("offer to a substitute", "No answer in time")
        NEEDLESS = "needless", pgettext_lazy("offer to a substitute", "No longer needed")

    open_seat = models.ForeignKey(OpenSeat, models.CASCADE, related_name="asks")
    substitute = models.ForeignKey(Substitute, models.CASCADE, related_name="asks")
    asked_at = models.DateTimeField(default=clock.now, editable=False)
    until = models.DateTimeField()
    answer = models.CharField(max_length=8, choices=Answer, default=Answer.OPEN)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(fields=["open_seat", "substitute"], name="ask_once"),
            models.UniqueConstraint(
                fields=["open_seat"], name="ask_one_at_a_time", condition=models.Q(answer="open")
            ),
        )
        indexes = (models.Index(fields=["until"], name="ask_open", condition=models.Q(answer="open")),)

    def __str__(self) -> str:
        return f"{self.substitute}: {self.answer}"
