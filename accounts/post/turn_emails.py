"""Fewer emails about one's turns by one click, the email that confirms it, and the way back.

A click changes what the reader also chooses on the page of preferences; nothing else is stored.
"""

from __future__ import annotations

from typing import Any

from django.core import signing
from django.db import transaction
from django.urls import reverse

from accounts import present
from accounts.limits import spend
from accounts.models import User
from accounts.post.collecting import keep_preferences
from accounts.post.outbox import queue

# What a click turns off: the email of each turn, the daily email with its reminders, or reminders alone.
TURNS, DIGEST, REMINDERS = "turns", "digest", "reminders"
SWITCHES = frozenset({TURNS, DIGEST, REMINDERS})
CHOICE = ("rhythm", "every_move", "reminders")  # the columns that a click changes
MOST_CONFIRMED = 10  # a day: the link may be in other hands

_SALT = "accounts.post.undo"


def switch_of(reader: User | None, *, is_reminder: bool = False) -> str:
    """What one click on an email about a turn, or on a reminder, turns off for its reader."""
    if reader is not None and reader.rhythm in (User.Rhythm.DIGEST, User.Rhythm.NEVER):
        return DIGEST
    return REMINDERS if is_reminder else TURNS


def is_turned_off(reader: User, switch: str) -> bool:
    """Whether these emails are off for this reader."""
    match switch:
        case "turns":
            return reader.rhythm in (User.Rhythm.DIGEST, User.Rhythm.NEVER)
        case "reminders":
            return reader.gets_no_emails or not reader.reminders
    return reader.gets_no_emails


def reader_at(address: str) -> User | None:
    """The person whose emails about turns go to this address."""
    return User.objects.filter(email=address, is_active=True).first()


@transaction.atomic
def turn_off(address: str, switch: str) -> str:
    """Turns these emails off for the person at this address and queues one email that confirms it.

    Returns the token that undoes it; empty if nothing changed, as when a click is repeated.
    """
    reader = _locked(address)
    if reader is None or is_turned_off(reader, switch):
        return ""
    undo = signing.dumps([reader.email, *(getattr(reader, name) for name in CHOICE)], salt=_SALT)
    if switch == REMINDERS:
        reader.reminders = []
    else:
        reader.rhythm = User.Rhythm.DIGEST if switch == TURNS else User.Rhythm.NEVER
        reader.every_move = False
    keep_preferences(reader, CHOICE)
    if spend("fewer emails", str(reader.pk), MOST_CONFIRMED):
        key = f"fewer_emails:{reader.pk}:{switch}:{present.now().isoformat()}"
        queue("fewer_emails", to=reader, key=key, about={"switch": switch, "undo": undo})
    return undo


def undo_path(token: str) -> str:
    """The path of the page that undoes a click."""
    return reverse("undo_unsubscribe", args=[token])


def read_undo_token(token: str) -> tuple[str, dict[str, Any]]:
    """The address that a click concerned, and what was chosen before it. Raises signing.BadSignature."""
    address, *before = signing.loads(token, salt=_SALT)
    return address, dict(zip(CHOICE, before, strict=True))


@transaction.atomic
def undo(token: str) -> None:
    """Brings back what was chosen before a click. Raises signing.BadSignature for a wrong token."""
    address, before = read_undo_token(token)
    reader = _locked(address)
    if reader is not None:
        for name, value in before.items():
            setattr(reader, name, value)
        keep_preferences(reader, CHOICE)


def _locked(address: str) -> User | None:
    """The person at this address; two changes at once go one by one."""
    return User.objects.select_for_update(no_key=True).filter(email=address, is_active=True).first()
