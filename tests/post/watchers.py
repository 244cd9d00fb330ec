"""Who wants to know what became of greetings, as another room would write it."""

from datetime import datetime

from django.db import IntegrityError

from accounts.post.models import Letter, Silenced

told: list[tuple[int, str, bool]] = []


def note(letter: Letter, now: datetime) -> None:
    """Remembers the fate, and leaves a row that shares the fate of the transaction."""
    told.append((letter.pk, letter.state, letter.sent_at == now))
    Silenced.objects.create(address="noted@example.org", list_id=f"letter-{letter.pk}")


def stumble(letter: Letter, now: datetime) -> None:
    Silenced.objects.create(address="half@example.org", list_id="done")
    raise LookupError("the game is gone")


def break_the_database(letter: Letter, now: datetime) -> None:
    for _ in range(2):
        Silenced.objects.create(address="twice@example.org", list_id="same")
    raise IntegrityError
