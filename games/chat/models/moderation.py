"""Moderation: what was reported, and who was banned and why."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from accounts import clock
from games.chat.models.messages import Message
from games.models import Table


class Report(models.Model):
    """A message that someone reported, with the messages around it."""

    class State(models.TextChoices):
        OPEN = "open", _("Waiting for an operator")
        ACTED = "acted", _("Action taken")
        DISMISSED = "dismissed", pgettext_lazy("report", "Dismissed")

    class Reason(models.TextChoices):
        INSULT = "insult", _("It insults or threatens someone")
        PRIVATE = "private", _("It reveals private information about someone")
        SPAM = "spam", _("It is spam or advertising")
        UNFAIR = "unfair", _("It makes the game unfair")
        OTHER = "other", pgettext_lazy("reason for a report", "Something else")

    message = models.ForeignKey(Message, models.CASCADE, related_name="reports")
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="reports", null=True, blank=True
    )
    reason = models.CharField(max_length=7, choices=Reason)
    words = models.TextField(blank=True)  # the reporter's own
    context = models.JSONField()  # the messages around it as the reporter read them
    at = models.DateTimeField(default=clock.now, editable=False)
    state = models.CharField(max_length=9, choices=State, default=State.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True, blank=True
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    decision = models.TextField(blank=True)  # in the operator's own words, shown to the reporter

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=["message", "by"], name="report_once"),)

    def __str__(self) -> str:
        return f"report of {self.message}"

    @property
    def decision_text(self) -> str:
        """Return the decision for display. An operator who bans doesn't have to add words."""
        is_banned = self.state == self.State.ACTED and not self.decision
        return gettext("The author of the message was banned.") if is_banned else self.decision


class Ban(models.Model):
    """A ban from writing at one table or at all tables, with a reason the person sees.

    Never deleted, because it is also the log.
    """

    table = models.ForeignKey(
        Table, models.CASCADE, related_name="bans", null=True, blank=True
    )  # null: at all tables, which only staff can decide
    whom = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="bans")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True, blank=True)
    reason = models.TextField()
    since = models.DateTimeField(default=clock.now, editable=False)
    until = models.DateTimeField(null=True, blank=True)  # null: until it is lifted
    lifted_at = models.DateTimeField(null=True, blank=True)
    lifted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, related_name="+", null=True, blank=True
    )

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"{self.whom} is banned at {self.table or 'all tables'}"

    def holds(self, table: Table, at: datetime) -> bool:
        """Return whether it keeps its person from writing at this table then."""
        is_over = self.lifted_at is not None or (self.until is not None and self.until <= at)
        return self.table_id in (None, table.pk) and not is_over
