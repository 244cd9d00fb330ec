"""The people in a season: its divisions, registrations, invitations, and the places published at its end."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.characters import CODE_POINTS
from accounts.names import NAME_COLUMN
from games.leagues.models.seasons import LONGEST_ANSWER, Season


class Division(models.Model):
    """The players of a season who meet each other; level 1 is the highest."""

    season = models.ForeignKey(Season, models.CASCADE, related_name="divisions")
    level = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ("level",)
        constraints = (models.UniqueConstraint(fields=["season", "level"], name="division_level_once"),)

    def __str__(self) -> str:
        return f"{self.season}, division {self.level}"

    @property
    def letter(self) -> str:
        """The letter that names the division; A is the highest."""
        return "ABCDEFGHIJKLMNOPQRSTUVWXYZ"[self.level - 1]


class Registration(models.Model):
    """A person's registration in a season. Places and the waiting list go by `registered_at`, then `pk`."""

    class State(models.TextChoices):
        EXPECTED = (
            "expected",
            pgettext_lazy("player of a season", "Place reserved"),
        )  # from the season before; not signed up yet
        SIGNED_UP = "signed up", pgettext_lazy("player of a season", "Signed up")  # with a place
        WAITING = "waiting", pgettext_lazy("player of a season", "On the waiting list")
        CONFIRMED = "confirmed", pgettext_lazy("player of a season", "Confirmed")
        PLAYING = "playing", pgettext_lazy("player of a season", "Playing")
        LEFT = "left", pgettext_lazy("player of a season", "Left before the start")
        NO_SHOW = "no show", pgettext_lazy("player of a season", "Did not confirm")
        WITHDRAWN = "withdrawn", pgettext_lazy("player of a season", "Withdrawn")
        EXPELLED = "expelled", pgettext_lazy("player of a season", "Expelled")
        REQUESTED = "requested", pgettext_lazy("player of a season", "Asked to join")
        DECLINED = "declined", pgettext_lazy("player of a season", "Request declined")

    WITH_PLACE = (State.EXPECTED, State.SIGNED_UP, State.CONFIRMED, State.PLAYING)
    OUT = (State.LEFT, State.NO_SHOW, State.WITHDRAWN, State.EXPELLED, State.DECLINED)
    NOT_IN_SEASON = (*OUT, State.REQUESTED)

    season = models.ForeignKey(Season, models.CASCADE, related_name="entries")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="league_entries")
    state = models.CharField(max_length=9, choices=State)
    division = models.ForeignKey(
        Division, models.SET_NULL, related_name="entries", null=True, blank=True
    )  # null before the draw, and for people who never played
    reserved = models.PositiveSmallIntegerField(null=True, blank=True)  # level reserved from before
    seeding = models.PositiveIntegerField(default=0)  # the order among those of one level; then by sign-up
    registered_at = models.DateTimeField(default=clock.now)
    confirmed_at = models.DateTimeField(null=True, blank=True)  # also by people who wait
    answer = models.CharField(
        max_length=LONGEST_ANSWER * CODE_POINTS, blank=True, default="", db_default=""
    )  # to what the organisers ask people who sign up; only for organisers
    from_round = models.PositiveSmallIntegerField(
        default=1
    )  # the first round they play in; later for someone who filled a gap
    skipped = models.JSONField(
        default=list, blank=True
    )  # numbers of rounds in which they have no table: by choice, or as they were away for too long
    in_place_of = models.OneToOneField(
        "self", models.SET_NULL, related_name="replaced_by", null=True, blank=True, editable=False
    )  # the player who left while the season ran
    out_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(
        max_length=1000, blank=True
    )  # why they are out, readable by the league's people

    class Meta:
        ordering = ("registered_at", "pk")
        constraints = (models.UniqueConstraint(fields=["season", "user"], name="entry_once"),)
        indexes = (models.Index(fields=["user", "state"], name="entry_of_person"),)

    def __str__(self) -> str:
        return f"{self.user} in {self.season}"

    @property
    def is_playing(self) -> bool:
        """Whether the player has a place in the season that runs."""
        return self.state == self.State.PLAYING

    @property
    def is_requested(self) -> bool:
        """Whether the person has asked to join, and an organiser has yet to decide."""
        return self.state == self.State.REQUESTED

    @property
    def is_out(self) -> bool:
        return self.state in self.OUT

    @property
    def has_place_ahead(self) -> bool:
        """Whether the player is asked to confirm, or has confirmed, in a season that has not begun."""
        has_confirmed = self.state == self.State.CONFIRMED and self.season.state == Season.State.CONFIRMING
        return self.can_confirm or has_confirmed

    @property
    def can_confirm(self) -> bool:
        """Whether the player, with a place or waiting for one, has yet to confirm that they will play."""
        is_asked = self.state in (self.State.SIGNED_UP, self.State.WAITING) and self.confirmed_at is None
        return is_asked and self.season.state == Season.State.CONFIRMING


class Invitation(models.Model):
    """An email address invited to a season, with or without a reserved level.

    Invited people sign up themselves.
    """

    class State(models.TextChoices):
        SENT = "sent", pgettext_lazy("invitation", "Not answered yet")
        ACCEPTED = "accepted", pgettext_lazy("invitation", "Signed up")
        DECLINED = "declined", pgettext_lazy("invitation", "Declined")
        WITHDRAWN = "withdrawn", pgettext_lazy("invitation", "Withdrawn")

    season = models.ForeignKey(Season, models.CASCADE, related_name="invited")
    email = models.EmailField(db_index=True)  # as normalised by accounts.addresses.normal_address
    name = models.CharField(max_length=NAME_COLUMN, blank=True)  # as the organiser typed it
    level = models.PositiveSmallIntegerField(null=True, blank=True)
    state = models.CharField(max_length=9, choices=State, default=State.SENT)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    sent_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["season", "email"], name="invited_once"),)

    def __str__(self) -> str:
        return f"{self.email} to {self.season}"

    @property
    def is_unanswered(self) -> bool:
        return self.state == self.State.SENT

    @property
    def email_key(self) -> str:
        """The outbox key of the last email with this invitation: one a day at most."""
        return f"league_invitation:{self.pk}:{self.sent_at:%Y-%m-%d}"


class Standing(models.Model):
    """A player's place when the season closed, as published. Recomputing it gives the same result."""

    division = models.ForeignKey(Division, models.CASCADE, related_name="standings")
    entry = models.OneToOneField(Registration, models.CASCADE, related_name="standing")
    place = models.PositiveSmallIntegerField()
    points = models.CharField(max_length=40)  # a fraction, such as 7 or 22/3
    tables = models.PositiveSmallIntegerField(default=0)  # played, without byes
    victories = models.CharField(max_length=40, default="0")  # a fraction: shared ones count for their share
    average = models.CharField(max_length=40, default="0")  # points per table, without byes; a fraction
    next_level = models.PositiveSmallIntegerField(
        null=True, blank=True
    )  # level of the reserved place; null: none
    won_final = models.BooleanField(
        default=False, db_default=False
    )  # whatever the place, they won the season

    class Meta:
        ordering = ("division", "place")
        constraints = (models.UniqueConstraint(fields=["division", "place"], name="standing_place_once"),)

    def __str__(self) -> str:
        return f"{self.place}: {self.entry}"
