"""Outcome handlers of greetings, as another app would write them."""

from datetime import datetime

from django.db import IntegrityError

from accounts.mail.models import OutgoingEmail, Unsubscription

told: list[tuple[int, str, bool]] = []


def note(email: OutgoingEmail, now: datetime) -> None:
    """Record the outcome, and store a row that is rolled back with the transaction."""
    told.append((email.pk, email.state, email.sent_at == now))
    Unsubscription.objects.create(address="noted@example.org", list_id=f"email-{email.pk}")


def stumble(email: OutgoingEmail, now: datetime) -> None:
    Unsubscription.objects.create(address="half@example.org", list_id="done")
    raise LookupError("the game is gone")


def break_the_database(email: OutgoingEmail, now: datetime) -> None:
    for _ in range(2):
        Unsubscription.objects.create(address="twice@example.org", list_id="same")
    raise IntegrityError
