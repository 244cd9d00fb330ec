"""Export and erase which browsers get a person's notifications."""

from typing import Any

from accounts.models import User


def export(user: User) -> dict[str, Any]:
    """Return each browser's push service, without the secret address, and since when it is known."""
    browsers = user.push_subscriptions.all()
    return {"notified_browsers": [{"service": one.service, "since": one.since} for one in browsers]}


def erase(user: User) -> None:
    """Delete the browsers, with the notifications to them."""
    user.push_subscriptions.all().delete()
