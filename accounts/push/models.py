"""Models of notifications: the browsers and other targets that get them, and those to send.

Rows are written only by this app's modules and views.
"""

from datetime import datetime, timedelta
from typing import ClassVar, Self, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.models import User

LONGEST_ENDPOINT = 1000
LONGEST_ADDRESS = 500  # of a target
LEASE = timedelta(minutes=2)  # far longer than one attempt takes


def origin_of(address: str) -> str:
    """Return scheme, host and port of an address, with a slash."""
    scheme, host, *_rest = urlsplit(address)
    return f"{scheme}://{host}/"


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
        return origin_of(self.endpoint)


class NoticeTarget(models.Model):
    """Where else notifications go: a chat service's channel, or a program of the person's own.

    `subject` is empty for what concerns the person. Otherwise it names what the public news is about, such as
    `table:12`: an app above knows what that is, and who may add a target for it.
    """

    class Service(models.TextChoices):
        """The receivers of notifications, and in which form they get them."""

        DISCORD = "discord", "Discord"
        SLACK = "slack", "Slack"
        NTFY = "ntfy", "ntfy"
        WEBHOOK = "webhook", pgettext_lazy("receiver of notifications", "JSON for your own program")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="notice_targets")
    subject = models.CharField(max_length=40, blank=True)
    service = models.CharField(max_length=7, choices=Service)
    name = models.CharField(max_length=60)
    endpoint = models.CharField(max_length=LONGEST_ADDRESS)  # a secret: who has it can write there
    secret = models.CharField(
        max_length=200, blank=True
    )  # an access token (ntfy), or a signing key (webhook)
    kinds = models.JSONField(default=list)
    # The path of a league, if only its tables count; they have it in Table.source_path
    only_source = models.CharField(max_length=160, blank=True)
    since = models.DateTimeField(default=clock.now, editable=False)
    failed_at = models.DateTimeField(null=True, blank=True, editable=False)  # as for browsers
    failures = models.PositiveSmallIntegerField(default=0, editable=False)  # notifications in a row
    off_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = pgettext_lazy("admin", "target of notifications")
        verbose_name_plural = pgettext_lazy("admin", "targets of notifications")
        ordering: ClassVar = ["pk"]
        indexes: ClassVar = [
            models.Index(fields=["subject"], condition=~Q(subject=""), name="target_of_subject"),
        ]

    def __str__(self) -> str:
        return f"{self.service} {self.pk}"

    @property
    def host(self) -> str:
        """Return the host; the rest of the address is a secret."""
        return urlsplit(self.endpoint).hostname or ""

    @property
    def origin(self) -> str:
        """Return scheme, host and port of the address, with a slash."""
        return origin_of(self.endpoint)

    @property
    def is_off(self) -> bool:
        """Return whether it gets nothing now."""
        return self.off_at is not None


class QueuedNotice(models.Model):
    """A notification that waits to be sent to one receiver; queued once per key."""

    RECEIVER: ClassVar[str]  # the name of the foreign key
    LASTS: ClassVar[timedelta]  # then it's deleted

    key = models.CharField(max_length=200)
    context = models.JSONField(default=dict)
    not_before = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    leased_until = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)  # accepted, given up, or no longer needed
    created_at = models.DateTimeField(default=clock.now, editable=False)

    kind: str

    class Meta:
        abstract = True

    @property
    def receiver(self) -> PushSubscription | NoticeTarget:
        """Return the browser or target."""
        raise NotImplementedError

    @property
    def reader(self) -> User:
        """Return the person whose browser or target it is."""
        reader: User = self.receiver.user
        return reader


Row = TypeVar("Row", bound=QueuedNotice)


class NoticeQuerySet(models.QuerySet[Row]):
    """Queries on notifications."""

    def due(self, now: datetime) -> Self:
        """Return those that are due and that no worker is sending, longest waiting first.

        A lease far in the future was written before the machine's clock was set back, and is ignored.
        """
        free = Q(leased_until=None) | Q(leased_until__lte=now) | Q(leased_until__gt=now + 2 * LEASE)
        return self.filter(free, done_at=None, not_before__lte=now).order_by("not_before", "pk")

    def being_sent(self, now: datetime) -> "models.QuerySet[Row, int]":
        """Return the people to whom workers are sending notifications now."""
        leased = self.filter(done_at=None, leased_until__gt=now, leased_until__lte=now + 2 * LEASE)
        return leased.values_list(f"{self.model.RECEIVER}__user", flat=True)


class Push(QueuedNotice):
    """One notification to one browser; deleted after a day."""

    RECEIVER: ClassVar[str] = "subscription"
    LASTS: ClassVar[timedelta] = timedelta(days=1)

    class Kind(models.TextChoices):
        """What a notification can be about; each can be turned off."""

        TURN = "turn", _("When it’s your turn")
        REMINDER = "reminder", _("Reminders before a deadline")
        MESSAGE = "message", _("Chat messages")

    subscription = models.ForeignKey(PushSubscription, models.CASCADE, related_name="pushes")
    kind = models.CharField(max_length=8, choices=Kind)
    email_key = models.CharField(max_length=200)  # of the email about the same thing
    shown_at = models.DateTimeField(null=True, blank=True)  # when the browser said that it showed it

    objects: ClassVar[NoticeQuerySet["Push"]] = NoticeQuerySet.as_manager()  # type: ignore[assignment]

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

    @property
    def receiver(self) -> PushSubscription:
        """Return the browser."""
        return self.subscription


class TargetNotice(QueuedNotice):
    """One notification to one target; kept for a week, so that its page can say what came of it."""

    RECEIVER: ClassVar[str] = "target"
    LASTS: ClassVar[timedelta] = timedelta(days=7)

    class Problem(models.TextChoices):
        """Why a target's host gave no answer."""

        NO_ANSWER = "no answer", _("No answer in time, or no connection")
        NOT_PUBLIC = "not public", _("Not contacted: the address doesn’t lead to a public host")
        BROKEN = "broken", _("Not an answer that we understand")

    target = models.ForeignKey(NoticeTarget, models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=12)
    answer = models.PositiveSmallIntegerField(null=True, blank=True)  # the status of the last attempt
    problem = models.CharField(max_length=10, choices=Problem, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[NoticeQuerySet["TargetNotice"]] = NoticeQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = pgettext_lazy("admin", "notification to a target")
        verbose_name_plural = pgettext_lazy("admin", "notifications to targets")
        constraints: ClassVar = [models.UniqueConstraint(fields=["target", "key"], name="target_told_once")]
        indexes: ClassVar = [
            models.Index(fields=["not_before", "id"], condition=Q(done_at=None), name="target_notice_due"),
            models.Index(fields=["created_at"], name="target_notice_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def receiver(self) -> NoticeTarget:
        """Return the target."""
        return self.target
