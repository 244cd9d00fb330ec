"""Models of the outbox: emails and their state, unsubscriptions, captured emails.

Rows are written only by this app's modules and views.
"""

import uuid
from datetime import datetime, timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.addresses import site_host
from accounts.characters import CODE_POINTS
from accounts.models import User

LONGEST_SUBJECT = 55
LONGEST_LEASE = timedelta(minutes=1)
LONGEST_MAILBOX = 320  # characters of an address (RFC 3696)


def new_message_id() -> str:
    """Return a new Message-ID; it is stored, so that a retry after a crash carries the same one."""
    return f"<email-{uuid.uuid4()}@{site_host()}>"


class OutgoingEmailQuerySet(models.QuerySet["OutgoingEmail"]):
    """Queries on outgoing emails."""

    def due(self, now: datetime) -> "OutgoingEmailQuerySet":
        """Return queued emails that are due and that no worker is sending, longest waiting first.

        A lease far in the future was written before the machine's clock was set back, and is ignored.
        """
        free = Q(leased_until=None) | Q(leased_until__lte=now) | Q(leased_until__gt=now + LONGEST_LEASE)
        return self.filter(free, state=OutgoingEmail.State.QUEUED, not_before__lte=now).order_by(
            "not_before", "pk"
        )

    def to_person(self, user: User) -> "OutgoingEmailQuerySet":
        """Return every email to this account, or to its present address before it had an account.

        Emails to another account stay with that account, even if this person has the address now.
        """
        return self.filter(Q(to_user=user) | Q(to_user=None, to_address=user.email))


class OutgoingEmail(models.Model):
    """One email to one recipient, queued once per key; its delivery status is kept."""

    class State(models.TextChoices):
        """Delivery state of an email."""

        QUEUED = "queued", pgettext_lazy("status of an email", "Queued")
        SENT = "sent", pgettext_lazy("status of an email", "Sent")
        OVERTAKEN = "overtaken", pgettext_lazy("status of an email", "No longer needed")
        UNSUBSCRIBED = "unsubscribed", pgettext_lazy("status of an email", "Turned off by the reader")
        FAILED = "failed", pgettext_lazy("status of an email", "Failed")
        BOUNCED = "bounced", pgettext_lazy("status of an email", "Bounced")

    class Refusal(models.TextChoices):
        """What was refused since the server last accepted an email; several in a row are its own fault."""

        EMAIL = "email"
        ADDRESS = "address"  # the server said that the address is at fault
        WAITED = "waited"  # everyone was refused, so it waits or has waited
        AGAIN = "again"  # it was refused again after that

    kind = models.CharField(max_length=40)
    to_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="emails"
    )
    to_address = models.CharField(max_length=320)
    key = models.CharField(max_length=200, unique=True)
    context = models.JSONField(default=dict)
    # `context` holds a secret and is emptied once the final state is recorded
    forgets = models.BooleanField(default=False)
    # Set when the message is built; never stored if `forgets` is set.
    subject = models.CharField(max_length=LONGEST_SUBJECT * CODE_POINTS, blank=True, default="")
    forgets_address = models.BooleanField(default=False)  # empty the address too: its account was deleted
    state = models.CharField(max_length=12, choices=State.choices, default=State.QUEUED)
    not_before = models.DateTimeField()
    # One of thousands that a tick or an hour of the day brings: others leave before it (delivery.py)
    gives_way = models.BooleanField(default=False, db_default=False, editable=False)
    attempts = models.PositiveIntegerField(default=0)
    waits_for_server = models.BooleanField(default=False)  # its connection broke; it may have been sent
    refusal = models.CharField(max_length=8, blank=True, default="", editable=False)
    leased_until = models.DateTimeField(null=True, blank=True)
    message_id = models.CharField(max_length=300, default=new_message_id, editable=False)
    sent_at = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(default=clock.now, editable=False)

    objects: ClassVar[models.Manager["OutgoingEmail"]] = OutgoingEmailQuerySet.as_manager()

    class Meta:
        verbose_name = pgettext_lazy("admin", "email")
        verbose_name_plural = pgettext_lazy("admin", "emails")
        indexes: ClassVar = [
            # Due emails are searched among queued rows only.
            models.Index(fields=["not_before", "id"], condition=Q(state="queued"), name="emails_due"),
            models.Index(fields=["refusal"], name="emails_refused"),
            models.Index(fields=["to_address"], name="emails_to"),
            models.Index(fields=["created_at"], name="emails_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"


class MailServerHealth(models.Model):
    """Circuit breaker for the mail server: one row while it is failing, none while it is healthy.

    All processes share it, so that only one tick at a time tries a failing server.
    """

    failing_since = models.DateTimeField(null=True, blank=True)
    rests_until = models.DateTimeField(null=True, blank=True)
    breaks = models.PositiveIntegerField(default=0)  # broken connections in a row
    refuses_everyone = models.BooleanField(default=False)  # it can be reached
    last_error = models.TextField(blank=True, default="")

    class Meta:
        verbose_name = _("mail server outage")
        verbose_name_plural = _("mail server outage")

    def __str__(self) -> str:
        return f"failing since {self.failing_since}" if self.failing_since else f"{self.breaks} breaks"


class SuppressedAddress(models.Model):
    """An address that gets no emails: its server refused one permanently, or its owner wants no more."""

    class Cause(models.TextChoices):
        """Why an address gets no emails, weakest first: a weaker cause never replaces a stronger one."""

        FAILURE = "failure", pgettext_lazy("why an address gets no emails", "Emails to it fail")
        UNSUBSCRIBED = "unsubscribed", pgettext_lazy("why an address gets no emails", "Unsubscribed")
        COMPLAINT = "complaint", pgettext_lazy("why an address gets no emails", "Marked as spam")

        @property
        def weaker(self) -> "list[SuppressedAddress.Cause]":
            """The causes that this one replaces, and itself."""
            causes = list(SuppressedAddress.Cause)
            return causes[: causes.index(self) + 1]

    address = models.CharField(max_length=320, unique=True)
    cause = models.CharField(
        max_length=12, choices=Cause.choices, default=Cause.FAILURE, db_default=Cause.FAILURE
    )
    reason = models.TextField(blank=True, default="")  # the mail server's own words
    since = models.DateTimeField(default=clock.now, editable=False)
    email = models.ForeignKey(OutgoingEmail, models.SET_NULL, null=True, blank=True, related_name="+")

    class Meta:
        verbose_name = _("suppressed address")
        verbose_name_plural = _("suppressed addresses")

    def __str__(self) -> str:
        return f"{self.address}, since {self.since}"


class Unsubscription(models.Model):
    """An address and a list whose emails its owner turned off."""

    address = models.CharField(max_length=320)
    list_id = models.CharField(max_length=100)
    list_name = models.CharField(max_length=1000, blank=True, default="")
    since = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = pgettext_lazy("admin", "unsubscription")
        verbose_name_plural = pgettext_lazy("admin", "unsubscriptions")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["address", "list_id"], name="unsubscribed_once")
        ]

    def __str__(self) -> str:
        return f"{self.list_id}: {self.address}"


class CapturedEmail(models.Model):
    """An email stored for the operator to read because no mail server is configured."""

    to = models.CharField(max_length=320, db_index=True)
    subject = models.TextField()
    text = models.TextField()
    html = models.TextField(blank=True, default="")
    headers = models.JSONField(default=list)  # [[name, value], ...] in order
    source = models.BinaryField()  # the whole message; inline images are read from it
    captured_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = _("captured email")
        verbose_name_plural = _("captured emails")

    def __str__(self) -> str:
        return self.subject


class SetAsideMessage(models.Model):
    """A received message that could not be taken, kept for the operator; perhaps it is tried again."""

    digest = models.CharField(max_length=64, unique=True)  # SHA-256 of recipient and source, hex
    recipient = models.CharField(max_length=LONGEST_MAILBOX)  # opens a seat: never shown
    sender = models.CharField(max_length=LONGEST_MAILBOX, null=True)  # noqa: DJ001 - null: not known; "": no one
    source = models.BinaryField()  # its beginning
    reason = models.TextField()
    attempts = models.PositiveIntegerField(default=1)
    next_attempt_at = models.DateTimeField(null=True, blank=True)  # null: not tried again
    received_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = pgettext_lazy("admin", "message set aside")
        verbose_name_plural = pgettext_lazy("admin", "messages set aside")
        indexes: ClassVar = [
            models.Index(fields=["next_attempt_at"], name="messages_to_try_again"),
        ]

    def __str__(self) -> str:
        return f"message {self.pk}"


class SentWords(models.Model):
    """Keyed hashes of the words of one email that was sent, by which a reply that quotes it is recognised."""

    to_user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    thread = models.CharField(max_length=100)
    hashes = models.BinaryField()
    common_hashes = models.BinaryField()  # of names and what else anyone may write; they alone are no quote
    sent_at = models.DateTimeField(default=clock.now, editable=False)

    class Meta:
        verbose_name = pgettext_lazy("admin", "words of an email")
        verbose_name_plural = pgettext_lazy("admin", "words of emails")
        indexes: ClassVar = [
            models.Index(fields=["to_user", "thread"], name="sent_words_in_thread"),
            models.Index(fields=["sent_at"], name="sent_words_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.thread}, {self.sent_at}"


class CheckEmail(models.Model):
    """An email by which `check_site` tries the way out and back, and the first message that came back."""

    created_at = models.DateTimeField(default=clock.now, editable=False)
    came_back_at = models.DateTimeField(null=True, blank=True)
    return_path = models.TextField(blank=True, default="")  # of what came back; "<>" names no one
    source = models.BinaryField(default=b"")  # its beginning, byte for byte, because it may be signed

    class Meta:
        verbose_name = pgettext_lazy("admin", "email that checks the site")
        verbose_name_plural = pgettext_lazy("admin", "emails that check the site")

    def __str__(self) -> str:
        return f"check {self.pk}"
