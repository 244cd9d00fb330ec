"""The outbox as rows: emails and their fate, lists people turned off, emails kept instead of mailed.

Rows are written by outbox.py, delivery.py, kept.py and the views; nobody else changes them.
"""

import uuid
from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from accounts import clock
from accounts.addresses import site_host
from accounts.models import User

LONGEST_LEASE = timedelta(minutes=1)


def new_message_id() -> str:
    """An email's Message-ID, made once: whatever is sent again after a crash carries the same one."""
    return f"<email-{uuid.uuid4()}@{site_host()}>"


class OutgoingEmailQuerySet(models.QuerySet["OutgoingEmail"]):
    """Plain names for the questions delivery asks."""

    def due(self, now: datetime) -> "OutgoingEmailQuerySet":
        """Queued emails whose moment has come and which nobody is sending, the longest waiting first.

        A lease of the far future was written before the machine's clock was put back: it holds nothing.
        """
        free = Q(leased_until=None) | Q(leased_until__lte=now) | Q(leased_until__gt=now + LONGEST_LEASE)
        return self.filter(free, state=OutgoingEmail.State.QUEUED, not_before__lte=now).order_by(
            "not_before", "pk"
        )

    def to_person(self, user: User) -> "OutgoingEmailQuerySet":
        """Every email to this account, or to its present address before that had an account.

        Emails to somebody else's account are his, even if they went to an address that is this person's now.
        """
        return self.filter(Q(to_user=user) | Q(to_user=None, to_address=user.email))


class OutgoingEmail(models.Model):
    """One email to one person. Queued once per key; its fate is kept."""

    class State(models.TextChoices):
        """What became of an email."""

        QUEUED = "queued", _("queued")
        SENT = "sent", _("sent")
        OVERTAKEN = "overtaken", _("overtaken: the reason to write was gone")
        UNSUBSCRIBED = "unsubscribed", _("not sent: its reader turned these emails off")
        FAILED = "failed", _("failed")
        BOUNCED = "bounced", _("came back")

    kind = models.CharField(max_length=40)
    to_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="emails"
    )
    to_address = models.CharField(max_length=320)
    key = models.CharField(max_length=200, unique=True)
    about = models.JSONField(default=dict)
    forgets = models.BooleanField(
        default=False
    )  # `about` holds a secret and is emptied once the fate is known
    subject = models.CharField(
        max_length=200, blank=True, default=""
    )  # once it was written; of an email that forgets it is never kept
    forgets_address = models.BooleanField(default=False)  # so is the address: its account was deleted
    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    not_before = models.DateTimeField()
    attempts = models.PositiveIntegerField(default=0)
    waits_for_server = models.BooleanField(default=False)  # a connection broke under it; it may have gone
    leased_until = models.DateTimeField(null=True, blank=True)
    message_id = models.CharField(max_length=300, default=new_message_id, editable=False)
    sent_at = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(default=clock.now, editable=False)

    objects: ClassVar[models.Manager["OutgoingEmail"]] = OutgoingEmailQuerySet.as_manager()

    class Meta:
        verbose_name = _("email")
        verbose_name_plural = _("emails")
        indexes: ClassVar = [
            # What is due must be found among what is queued alone.
            models.Index(fields=["not_before", "id"], condition=Q(state="queued"), name="emails_due"),
            models.Index(fields=["to_address"], name="emails_to"),
            models.Index(fields=["created_at"], name="emails_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class MailServerHealth(models.Model):
    """How the mail server is, while it is not well: one row, and none when it is.

    Every process reads it, so that one tick at a time asks a server that takes nothing.
    """

    failing_since = models.DateTimeField(null=True, blank=True)
    rests_until = models.DateTimeField(null=True, blank=True)
    breaks = models.PositiveIntegerField(default=0)  # connections broken in a row
    last_error = models.TextField(blank=True, default="")

    class Meta:
        verbose_name = _("mail server that takes no emails")
        verbose_name_plural = _("mail server that takes no emails")

    def __str__(self) -> str:
        return f"failing since {self.failing_since}" if self.failing_since else f"{self.breaks} breaks"


class SuppressedAddress(models.Model):
    """An address to which emails fail for good: refused by its server, or come back from it."""

    address = models.CharField(max_length=320, unique=True)
    reason = models.TextField(blank=True, default="")
    since = models.DateTimeField(default=clock.now, editable=False)
    email = models.ForeignKey(OutgoingEmail, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        verbose_name = _("failing address")
        verbose_name_plural = _("failing addresses")

    def __str__(self) -> str:
        return f"{self.address}, since {self.since}"


class Unsubscription(models.Model):
    """An address whose reader turned off the emails of one list."""

    address = models.CharField(max_length=320)
    list_id = models.CharField(max_length=100)
    list_name = models.CharField(max_length=200, blank=True, default="")
    since = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = _("turned off")
        verbose_name_plural = _("turned off")
        constraints: ClassVar = [models.UniqueConstraint(fields=["address", "list_id"], name="silenced_once")]

    def __str__(self) -> str:
        return f"{self.list_id}: {self.address}"


class CapturedEmail(models.Model):
    """An email kept for the operator to read because no mail server is configured."""

    to = models.CharField(max_length=320, db_index=True)
    subject = models.TextField()
    text = models.TextField()
    html = models.TextField(blank=True, default="")
    headers = models.JSONField(default=list)  # [[name, value], ...] in their order
    source = (
        models.BinaryField()
    )  # the whole message as it would have gone out; inline pictures are read from it
    kept_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = _("kept email")
        verbose_name_plural = _("kept emails")

    def __str__(self) -> str:
        return self.subject
