"""A season, with its rules and its progress."""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from games.leagues.models.leagues import League
from games.leagues.scoring.scoring_methods import USUAL_TIE_BREAKS
from games.models import MAX_SEATS, MIN_SEATS

MOST_ROUNDS, MOST_DIVISIONS, LARGEST_DIVISION = 20, 26, 120
MOST_AT_ONCE = 4
LONGEST_ANSWER = 200  # characters of what organisers ask, and of each answer
MOST_FINISHED = 100
MOST_SHARE = 50  # percent of a division that can move up, and as many down


def usual_terms() -> dict[str, Any]:
    """Return the default columns of a games' Table for a season: the 2007 game, a day for each move."""
    return {"options_json": {"edition": "2007", "variants": []}, "pace": "day"}


def usual_tie_breaks() -> list[str]:
    """Return the default tie-breaks in the order they apply; lots always decide and come last."""
    return [tie_break.value for tie_break in USUAL_TIE_BREAKS]


class Season(models.Model):
    """One season of a league: its rules and its progress.

    Of the fields above `state`, some may change after sign-up opens: see services/season_changes.py.
    """

    class Format(models.TextChoices):
        BALANCED = (
            "balanced",
            _("Balanced: everyone meets as many different opponents as possible, as evenly as possible."),
        )
        SWISS = "swiss", _("Swiss: each round’s tables bring together players with similar scores.")
        ALL = "all", _("Round robin: everyone meets everyone else in their division.")

    class Scoring(models.TextChoices):
        POINTS = "points", _("Points for regions, and 5 more for a connected victory (Playing for Points)")
        PLACEMENT = "placement", _("Points for each place at the table")
        WINS = "wins", _("One point for a victory, and none for anything else")

    class Split(models.TextChoices):
        SHARE = "share", _("Shared by the turns that each player played themselves")
        STARTER = "starter", _("All to the player who began in the seat")
        FINISHER = "finisher", _("All to the player who held the seat last")

    class ByePoints(models.TextChoices):
        AVERAGE = "average", _("The average of the player’s own tables, at most the division’s")
        NOTHING = "nothing", _("No points")

    class Late(models.TextChoices):
        REGIONS = "regions", _("The players with most regions win")
        NOBODY = "nobody", _("No one wins")
        ORGANISER = "organiser", _("An organiser decides")

    class Joining(models.TextChoices):
        ANYONE = "anyone", pgettext_lazy("people who may join a season", "Anyone")
        REQUEST = "request", _("By request: an organiser accepts or declines each person.")
        INVITED = "invited", _("Invited people only")

    class Final(models.TextChoices):
        NONE = "none", _("No final: the first of the standings wins the season.")
        FIRST = "first", _("A final of the first four of the highest division")
        DIVISIONS = "divisions", _("A final of the first of each division")

    class State(models.TextChoices):
        PLANNED = "planned", pgettext_lazy("season", "Planned")
        SIGN_UP = "sign-up", pgettext_lazy("season", "Sign-up open")
        CONFIRMING = "confirming", pgettext_lazy("season", "Players confirming")
        RUNNING = "running", pgettext_lazy("season", "In progress")
        CLOSED = "closed", pgettext_lazy("season", "Finished")
        CANCELLED = "cancelled", pgettext_lazy("season", "Cancelled")

    BEFORE_PLAY = (State.PLANNED, State.SIGN_UP, State.CONFIRMING)
    GOING_ON = (*BEFORE_PLAY, State.RUNNING)
    OVER = (State.CLOSED, State.CANCELLED)

    confirm_days = 3  # how long players have to confirm their places
    ask_hours = 24  # how long a substitute has to answer

    league = models.ForeignKey(League, models.CASCADE, related_name="seasons")
    number = models.PositiveSmallIntegerField()
    form_key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    terms = models.JSONField(default=usual_terms)  # columns of games' Table: edition, pace, chat, absences
    size = models.PositiveSmallIntegerField(
        _("Seats per table"),
        default=4,
        validators=[MinValueValidator(MIN_SEATS), MaxValueValidator(MAX_SEATS)],
    )
    format = models.CharField(
        pgettext_lazy("setting", "Pairings"), max_length=8, choices=Format, default=Format.BALANCED
    )
    rounds = models.PositiveSmallIntegerField(
        _("Tables per player"),
        default=4,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_ROUNDS)],
    )
    tables_at_once = models.PositiveSmallIntegerField(
        _("Tables at once"),
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_AT_ONCE)],
    )
    table_days = models.PositiveSmallIntegerField(
        _("Days per table"), default=60, validators=[MinValueValidator(1), MaxValueValidator(365)]
    )
    extension_days = models.PositiveSmallIntegerField(
        _("Extra days for a late table, once"), default=14, validators=[MaxValueValidator(90)]
    )
    late = models.CharField(_("If a table is still late"), max_length=9, choices=Late, default=Late.REGIONS)
    scoring = models.CharField(
        pgettext_lazy("setting", "Scoring"), max_length=9, choices=Scoring, default=Scoring.PLACEMENT
    )
    placement = models.JSONField(default=list, blank=True)  # whole points by place; empty: the default
    tie_breaks = models.JSONField(default=usual_tie_breaks)
    split = models.CharField(
        _("Points of a seat that changed hands"), max_length=8, choices=Split, default=Split.SHARE
    )
    bye_points = models.CharField(
        _("Points for a bye"), max_length=7, choices=ByePoints, default=ByePoints.AVERAGE
    )
    division_size = models.PositiveSmallIntegerField(
        _("Players per division"),
        default=12,
        validators=[MinValueValidator(2), MaxValueValidator(LARGEST_DIVISION)],
    )
    most_divisions = models.PositiveSmallIntegerField(
        pgettext_lazy("form", "Divisions"),
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_DIVISIONS)],
    )
    promoted = models.PositiveSmallIntegerField(_("Promoted and relegated between divisions"), default=0)
    promoted_share = models.PositiveSmallIntegerField(
        _("Promoted and relegated, in percent of a division"),
        default=0,
        db_default=0,
        validators=[MaxValueValidator(MOST_SHARE)],
    )  # instead of a number; 0: `promoted` says how many
    final = models.CharField(
        pgettext_lazy("setting", "Final"),
        max_length=9,
        choices=Final,
        default=Final.NONE,
        db_default=Final.NONE.value,
    )
    min_players = models.PositiveSmallIntegerField(_("Minimum players"), default=4)
    joining = models.CharField(
        _("Joining the season"),
        max_length=8,
        choices=Joining,
        default=Joining.ANYONE,
        db_default=Joining.ANYONE.value,
    )
    asks = models.CharField(
        _("What you ask people who sign up"),
        max_length=LONGEST_ANSWER,
        blank=True,
        default="",
        db_default="",
    )
    min_finished = models.PositiveSmallIntegerField(
        _("Games played to the end"), default=0, db_default=0, validators=[MaxValueValidator(MOST_FINISHED)]
    )  # how many someone needs who signs up
    opens_at = models.DateTimeField(_("Sign-up opens"))
    signup_ends_at = models.DateTimeField(_("Sign-up ends"))
    begins_at = models.DateTimeField(_("First tables begin on"))
    pause_days = models.PositiveSmallIntegerField(
        _("Days from this season’s end to the next season’s sign-up"),
        null=True,
        blank=True,
        default=7,
        validators=[MaxValueValidator(365)],
    )  # null: no next season is planned automatically

    state = models.CharField(max_length=10, choices=State, default=State.PLANNED)
    seed = models.CharField(
        max_length=64, blank=True, editable=False
    )  # hex, drawn and published with the draw
    asked_at = models.DateTimeField(null=True, blank=True)  # when the players were asked to confirm
    reminded_at = models.DateTimeField(null=True, blank=True)  # when those without an answer were reminded
    next_action_at = models.DateTimeField(
        null=True, blank=True
    )  # when the tick next has something to do by date; null: never
    short_since = models.DateTimeField(null=True, blank=True)  # too few players: an organiser decides
    closed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("number",)
        constraints = (models.UniqueConstraint(fields=["league", "number"], name="season_number_once"),)
        indexes = (
            models.Index(
                fields=["next_action_at"],
                name="season_next_action",
                condition=models.Q(next_action_at__isnull=False),
            ),
        )

    def __str__(self) -> str:
        return f"{self.league}, season {self.number}"

    @property
    def max_players(self) -> int:
        """The number of people who can play; later registrations go on the waiting list."""
        return self.division_size * self.most_divisions

    @property
    def remind_days(self) -> int:
        """How many days before a table's end its players are reminded: a week, less if it has few days."""
        return min(7, max(self.table_days // 4, 1), self.table_days - 1)

    @property
    def away_days(self) -> int:
        """How many days a table waits at most for players who are away."""
        return max(self.table_days // 4, 1)

    @property
    def half_at(self) -> datetime:
        """When half of the days of its tables have gone: until then, tables missed by holiday are made up."""
        days = self.table_days * ceil(self.rounds / self.tables_at_once)
        return self.begins_at + timedelta(days=days) / 2

    @property
    def confirm_by(self) -> Any:
        """The deadline to confirm for players asked at the end of sign-up; None before that."""
        return self.asked_at and self.asked_at + timedelta(days=self.confirm_days)

    @property
    def is_open(self) -> bool:
        """Whether people may sign up, if only for the waiting list."""
        return self.state in (self.State.SIGN_UP, self.State.CONFIRMING, self.State.RUNNING)
