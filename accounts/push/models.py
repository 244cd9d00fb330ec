"""Models of push notifications: the browsers that get them, and those to send.

Rows are written only by this app's modules and views.
"""

from datetime import datetime, timedelta
from typing import ClassVar
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock

LONGEST_ENDPOINT = 1000
LEASE = timedelta(minutes=2)  # far longer than one attempt takes


class PushSubscription(models.Model):
    """One browser of a person: the address at its push service, and the keys that encrypt for it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="push_subscriptions")
    endpoint = models.CharField(max_length=LONGEST_ENDPOINT, unique=True)
    p256dh = models.CharField(max_length=100)
    auth = models.CharField(max_length=32)
    since = models.DateTimeField(default=clock.now, editable=False)
    # When its push service last failed; emptied when it accepts a notification
    failed_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = pgettext_lazy("admin", "browser")
        verbose_name_plural = pgettext_lazy("admin", "browsers")
        ordering: ClassVar = ["pk"]

    def __str__(self) -> str:
        return self.service

    @property
    def service(self) -> str:
        """Return the host of the push service; the rest of the address is a secret."""
        return urlsplit(self.endpoint).hostname or ""

    @property
    def origin(self) -> str:
        """Return scheme, host and port of the push service, with a slash."""
        scheme, host, *_rest = urlsplit(self.endpoint)
        return f"{scheme}://{host}/"


class PushQuerySet(models.QuerySet["Push"]):
    """Queries on notifications."""

    def due(self, now: datetime) -> "PushQuerySet":
        """Return those that are due and that no worker is sending, longest waiting first.

        A lease far in the future was written before the machine's clock was set back, and is ignored.
        """
        free = Q(leased_until=None) | Q(leased_until__lte=now) | Q(leased_until__gt=now + 2 * LEASE)
        return self.filter(free, done_at=None, not_before__lte=now).order_by("not_before", "pk")

    def being_sent(self, now: datetime) -> "models.QuerySet[Push, int]":
        """Return the people to whom workers are sending notifications now."""
        leased = self.filter(done_at=None, leased_until__gt=now, leased_until__lte=now + 2 * LEASE)
        return leased.values_list("subscription__user", flat=True)


class Push(models.Model):
    """One notification to one browser, queued once per key; deleted after a day."""

    class Kind(models.TextChoices):
        """What a notification can be about; each can be turned off."""

        TURN = "turn", _("When it’s your turn")
        REMINDER = "reminder", _("Reminders before a deadline")
        MESSAGE = "message", _("Chat messages")

    subscription = models.ForeignKey(PushSubscription, models.CASCADE, related_name="pushes")
    kind = models.CharField(max_length=8, choices=Kind)
    key = models.CharField(max_length=200)
    email_key = models.CharField(max_length=200)  # of the email about the same thing
    context = models.JSONField(default=dict)
    not_before = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    leased_until = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)  # accepted, given up, or no longer needed
    shown_at = models.DateTimeField(null=True, blank=True)  # when the browser said that it showed it
    created_at = models.DateTimeField(default=clock.now, editable=False)

    objects: ClassVar[models.Manager["Push"]] = PushQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("admin", "notification")
        verbose_name_plural = pgettext_lazy("admin", "notifications")
        constraints: ClassVar = [models.UniqueConstraint(fields=["subscription", "key"], name="pushed_once")]
        indexes: ClassVar = [
            models.Index(fields=["not_before", "id"], condition=Q(done_at=None), name="push_due"),
            models.Index(fields=["email_key"], name="push_of_email"),
            models.Index(fields=["created_at"], name="push_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"
