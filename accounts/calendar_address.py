"""The secret address of a person's deadline calendar, for other programs."""

from __future__ import annotations

import secrets

from accounts.models import User


def make_feed(user: User) -> None:
    """Create a new secret URL for the person's deadline calendar; an earlier one stops working."""
    User.objects.filter(pk=user.pk).update(feed_key=secrets.token_urlsafe(16))


def end_feed(user: User) -> None:
    """Remove the secret calendar URL."""
    User.objects.filter(pk=user.pk).update(feed_key=None)
