"""Emails to people who are invited to a season, with or without an account."""

from __future__ import annotations

from accounts.blocking import is_blocked
from accounts.mail.outbox import queue
from accounts.models import User
from games.leagues.models import Invitation


def email_invitation(invited: Invitation) -> None:
    """Send an invitation email, at most once a day, unless the recipient has blocked the sender."""
    if to := recipient_of(invited):
        queue(
            "league_invitation", to=to, key=invited.email_key, context={"invited": invited.pk}, by=invited.by
        )


def recipient_of(invited: Invitation) -> User | str | None:
    """Return the recipient of an email about this invitation: an account, an address or no one."""
    person = User.objects.filter(email=invited.email).first()
    if person is not None and is_blocked(invited.by, by=[person.pk]):
        return None
    return person or invited.email
