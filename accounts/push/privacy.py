"""Export and erase which browsers and other targets get a person's notifications."""

from typing import Any

from accounts.models import User
from accounts.push.models import NoticeTarget
from accounts.push.targets import note_targets_of


def export(user: User) -> dict[str, Any]:
    """Return each browser and target, without its secret address, and since when it is known."""
    browsers = user.push_subscriptions.all()
    return {
        "notified_browsers": [{"service": one.service, "since": one.since} for one in browsers],
        "notification_channels": [_target(one) for one in user.notice_targets.all()],
    }


def erase(user: User) -> None:
    """Delete the browsers and targets, with the notifications to them."""
    user.push_subscriptions.all().delete()
    user.notice_targets.all().delete()
    note_targets_of(user)


def _target(target: NoticeTarget) -> dict[str, Any]:
    """Return what is stored about a target, without the secrets in its address and next to it."""
    sent = target.notices.filter(tried_at__isnull=False).order_by("pk")
    return {
        "service": target.service,
        "host": target.host,
        "name": target.name,
        "about": target.subject,
        "kinds": target.kinds,
        "only": target.only_source,
        "since": target.since,
        "failures": target.failures,
        "off_at": target.off_at,
        "notifications": list(sent.values("kind", "tried_at", "answer", "problem")),
    }
