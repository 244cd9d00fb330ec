"""Invitations to a table, and offers of a seat."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower
from django.utils.translation import pgettext_lazy

from accounts import clock
from accounts.addresses import readable_address
from accounts.names import NAME_COLUMN
from games.models.tables import Seat, Table

if TYPE_CHECKING:
    from accounts.models import User


def address_of_account(user: User) -> str:
    """Return what an invitation by name has instead of the address.

    With the address, inviting an address too would show the host whether it is this person's.
    """
    return f"account-{user.pk}@invited.invalid"  # RFC 2606: a domain that never exists


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def to_person(self, user: User) -> InvitationQuerySet:
        """Return the invitations to this user or to their address."""
        return self.filter(models.Q(user=user) | models.Q(user=None, email=user.email))


class Invitation(models.Model):
    """An email to one address, from the host or a player who hands over a seat.

    Following its link proves access to that address.
    """

    class State(models.TextChoices):
        SENT = "sent", pgettext_lazy("invitation", "sent")
        ACCEPTED = "accepted", pgettext_lazy("invitation", "accepted")
        DECLINED = "declined", pgettext_lazy("invitation", "declined")
        WITHDRAWN = "withdrawn", pgettext_lazy("invitation", "withdrawn")

    table = models.ForeignKey(Table, models.CASCADE, related_name="invitations")
    # as accounts.addresses.normal_address makes it; of someone invited by name, `address_of_account`
    email = models.EmailField(db_index=True)
    name = models.CharField(max_length=NAME_COLUMN, blank=True)  # as the host typed it before the address
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="invitations", null=True, blank=True
    )  # someone whom the host knows by name, from an earlier game
    seat = models.ForeignKey(
        Seat, models.CASCADE, related_name="invitations", null=True, blank=True
    )  # of a running game, handed over to the person who accepts
    state = models.CharField(max_length=10, choices=State, default=State.SENT)
    sent_count = models.PositiveSmallIntegerField(default=1)
    is_kept_back = models.BooleanField(default=False)  # it was hidden: the recipient blocks the sender
    created_at = models.DateTimeField(default=clock.now, editable=False)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint("table", Lower("email"), name="invitation_once"),)

    def __str__(self) -> str:
        return f"{self.shown} to {self.table}"

    @property
    def email_key(self) -> str:
        """The outbox key of the last email with this invitation."""
        return f"invitation:{self.pk}:{self.sent_count}"

    @property
    def shown(self) -> str:
        """How the host and the invited person see the invitee: by name if the host knows one."""
        return self.user.shown_name if self.user is not None else self.name or readable_address(self.email)

    @property
    def addressed(self) -> str:
        """The same for the host only: with the address that they typed."""
        is_named = self.name and self.user is None
        return f"{self.name} <{readable_address(self.email)}>" if is_named else self.shown

    def is_to(self, user: User) -> bool:
        """Return whether this user is the one invited."""
        return self.user_id == user.pk if self.user_id is not None else self.email == user.email
