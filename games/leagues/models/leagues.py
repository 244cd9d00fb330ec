"""A league, its organisers and its audit log."""

from __future__ import annotations

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.characters import CODE_POINTS
from accounts.models import User
from games.models import new_join_key

LONGEST_NAME = 60


class LeagueQuerySet(models.QuerySet["League"]):
    def organised_by(self, user: User) -> LeagueQuerySet:
        return self.filter(pk__in=Organiser.objects.filter(user=user).values("league"))

    def assisted_by(self, user: User) -> LeagueQuerySet:
        """Return the leagues that this person organises or assists in."""
        return self.filter(pk__in=Organiser.staff.filter(user=user).values("league"))


class League(models.Model):
    """A group of people who play seasons of tables under common settings."""

    name = models.CharField(pgettext_lazy("form", "Name"), max_length=LONGEST_NAME * CODE_POINTS)
    about = models.TextField(pgettext_lazy("form", "Description"), max_length=4000, blank=True)
    is_private = models.BooleanField(
        _("Private: only its members and people with its link can see it"), default=False
    )
    join_key = models.CharField(max_length=32, default=new_join_key, unique=True, editable=False)
    form_key = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)  # of the form that made it
    created_at = models.DateTimeField(default=clock.now, editable=False)
    paused_since = models.DateTimeField(null=True, blank=True, editable=False)  # null: it is not paused
    paused_until = models.DateTimeField(null=True, blank=True, editable=False)

    objects = LeagueQuerySet.as_manager()

    class Meta:
        indexes = (
            models.Index(fields=["created_at"], name="league_public", condition=models.Q(is_private=False)),
        )

    def __str__(self) -> str:
        return self.name

    def is_paused(self, now: datetime) -> bool:
        """Return whether an organiser has paused the whole league: no clock runs, and no table begins."""
        return self.paused_until is not None and self.paused_until > now


class OrganiserManager(models.Manager["Organiser"]):
    """Organisers with full rights, so that a check that doesn't name assistants leaves them out."""

    def get_queryset(self) -> models.QuerySet[Organiser]:
        return super().get_queryset().filter(role=Organiser.Role.ORGANISER)


class Organiser(models.Model):
    """A person who runs a league, or an assistant. All organisers have the same rights.

    Assistants may remind people, write to a season's people and give more time.
    """

    class Role(models.TextChoices):
        ORGANISER = "organiser", _("Organiser: can do everything.")
        ASSISTANT = "assistant", _("Assistant: can remind people, write to players and give more time.")

    league = models.ForeignKey(League, models.CASCADE, related_name="organisers")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    since = models.DateTimeField(default=clock.now, editable=False)
    role = models.CharField(
        max_length=9, choices=Role, default=Role.ORGANISER.value, db_default=Role.ORGANISER.value
    )
    asked_at = models.DateTimeField(null=True, blank=True, editable=False)  # whether they are still here

    objects = OrganiserManager()
    staff = models.Manager["Organiser"]()  # organisers and assistants

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["league", "user"], name="organiser_once"),)

    def __str__(self) -> str:
        return f"{self.user} of {self.league}"

    @property
    def is_assistant(self) -> bool:
        """Whether the person is an assistant, who may do less than an organiser."""
        return self.role == Organiser.Role.ASSISTANT


class AuditEvent(models.Model):
    """An organiser's action in a league, with their reason, or an automatic one of a season. Never updated.

    The league's people can read all events. People whom an event affects get an email about it.
    """

    class Kind(models.TextChoices):
        FOUNDED = "founded"
        CHANGED = "changed"
        ORGANISER = "organiser"
        STILL_HERE = "still here"  # an organiser was asked, or answered
        NO_ORGANISER = "no organiser"
        PLANNED = "planned"
        REPLANNED = "replanned"
        OPENED = "opened"
        INVITED = "invited"  # not whom: that is private
        CHASED = "chased"  # people who had not answered were reminded; not whom: that is private
        SIGN_UP_LONGER = "longer"
        ASKED = "asked"
        DRAWN = "drawn"
        CANCELLED = "cancelled"
        MOVED = "moved"
        WITHDREW = "withdrew"
        EXPELLED = "expelled"
        SUBSTITUTED = "substituted"
        LEFT_TO_BOT = "left to bot"
        FILLED = "filled"
        ROUND_DRAWN = "round drawn"
        SKIPPED = "skipped"
        NOT_SKIPPED = "not skipped"
        LEFT_OUT = "left out"  # a table began without players who were away
        MADE_UP = "made up"  # a table began for players who were away
        EXTENDED = "extended"
        ADJUDICATED = "adjudicated"
        AWARDED = "awarded"
        UNAWARDED = "unawarded"
        REMINDED = "reminded"
        REPLACED = "replaced"
        WROTE = "wrote"
        ANSWERED = "answered"  # what a player told the organisers; not who, or what: that is private
        PAUSED = "paused"
        RESUMED = "resumed"
        FINAL = "final"  # the final began
        CLOSED = "closed"

    TOO_FEW, NO_ORGANISER_LEFT = "too few", "no organiser"  # why a season acted automatically

    league = models.ForeignKey(League, models.CASCADE, related_name="events")
    season = models.ForeignKey("Season", models.CASCADE, related_name="events", null=True, blank=True)
    kind = models.CharField(max_length=12, choices=Kind)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )  # null: done automatically by the season
    touched = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="+", blank=True)
    table = models.ForeignKey("LeagueTable", models.CASCADE, related_name="events", null=True, blank=True)
    round = models.ForeignKey("Round", models.CASCADE, related_name="events", null=True, blank=True)
    facts = models.JSONField(
        default=dict, blank=True
    )  # other facts: numbers, ISO times, levels, `why`; put into words for each reader
    reason = models.TextField(max_length=1000, blank=True)  # in the organiser's own words
    at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        ordering = ("-pk",)
        indexes = (models.Index(fields=["league", "-id"], name="league_events"),)

    def __str__(self) -> str:
        return f"{self.league}: {self.kind}"
