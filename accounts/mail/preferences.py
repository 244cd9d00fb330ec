"""Save a person's email preferences, and apply them to what is queued already."""

from collections.abc import Iterable

from django.db import transaction

from accounts import clock
from accounts.mail.collecting import WAITING
from accounts.mail.models import OutgoingEmail
from accounts.mail.send_times import next_send_at
from accounts.models import User
from accounts.signals import frequency_changed, reminders_changed


@transaction.atomic
def keep_preferences(user: User, columns: Iterable[str]) -> None:
    """Save these preference columns and apply them to queued emails and reminders."""
    user.save(update_fields=list(columns))
    # First, because games are locked before emails everywhere.
    reminders_changed.send(User, user=user, now=clock.now())
    follow_frequency(user)


@transaction.atomic
def follow_frequency(user: User) -> None:
    """Reschedule a person's queued digests after their preferences changed.

    No emails are merged or split; an email that was already tried keeps its retries.
    """
    now = clock.now()
    untried = OutgoingEmail.objects.filter(
        kind=WAITING, to_user=user, state=OutgoingEmail.State.QUEUED, attempts=0
    )
    for email in untried:
        due = next_send_at(user, email.created_at, now) or now
        untried.filter(pk=email.pk).update(not_before=due)
    frequency_changed.send(User, user=user, now=now)
