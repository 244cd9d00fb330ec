"""Substitutes, the open seats that need them, and the offers made to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from accounts import clock
from games.leagues.models.rounds import LeagueTable
from games.leagues.models.seasons import Season

LONGEST_NOTE = 2000


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
        MAKE_UP = "make-up", pgettext_lazy("why a seat is free", "A table for players who were away")

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
