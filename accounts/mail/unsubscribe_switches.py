"""Unsubscribe switches for turn emails: a click changes the preferences; nothing else is stored."""

from typing import Any

from django.core import signing
from django.db import transaction
from django.urls import reverse

from accounts import clock, tokens
from accounts.mail.outbox import queue
from accounts.mail.preferences import keep_preferences
from accounts.mail.subscriptions import Subscription, unsubscribe
from accounts.mail.unsubscribe_links import read_recipient
from accounts.models import User
from accounts.rate_limits import hit
from accounts.reader_links import recipient_token

# What a click turns off: the email of each turn, the daily email with its reminders, or reminders only.
TURNS, DIGEST, REMINDERS = "turns", "digest", "reminders"
SWITCHES = frozenset({TURNS, DIGEST, REMINDERS})
CHOICE = ("frequency", "at_once_when_alone", "every_move", "reminders")  # columns that a click changes
MOST_CONFIRMED = 10  # per day; someone else may have the link
_UNDO = "undo"


def turn_off(subscription: Subscription) -> None:
    """Do what one click on an unsubscribe link does, without its page. Safe to repeat."""
    if subscription.list_id in SWITCHES:
        turn_off_switch(subscription.address, subscription.list_id)
    else:
        unsubscribe(subscription)


def switch_of(reader: User | None, *, is_reminder: bool = False, is_at_once: bool = False) -> str:
    """Return which switch an unsubscribe click in a turn or reminder email uses for this reader.

    `is_at_once` says that the email is about one turn alone, which readers of the daily email may get too.
    """
    if reader is not None and reader.frequency in (User.Frequency.DIGEST, User.Frequency.NEVER):
        return DIGEST if not is_at_once or is_turned_off(reader, TURNS) else TURNS
    return REMINDERS if is_reminder else TURNS


def is_turned_off(reader: User, switch: str) -> bool:
    """Return whether this switch is off for the reader."""
    match switch:
        case "turns":
            is_daily = reader.frequency == User.Frequency.DIGEST and not reader.at_once_when_alone
            return is_daily or reader.gets_no_emails
        case "reminders":
            return reader.gets_no_emails or not reader.reminders
    return reader.gets_no_emails


def reader_at(address: str) -> User | None:
    """Return the active user with this address, or None."""
    return User.objects.filter(email=address, is_active=True).first()


@transaction.atomic
def turn_off_switch(address: str, switch: str) -> str:
    """Turn these emails off for the user at this address and queue one confirmation email.

    Returns the undo token, or an empty string if nothing changed, as when a click is repeated.
    """
    reader = _lock_reader(address)
    if reader is None or is_turned_off(reader, switch):
        return ""
    undo = _make_undo_token(reader)
    if switch == REMINDERS:
        reader.reminders = []
    else:
        reader.frequency = User.Frequency.DIGEST if switch == TURNS else User.Frequency.NEVER
        reader.at_once_when_alone = reader.every_move = False
    keep_preferences(reader, CHOICE)
    if hit("fewer emails", str(reader.pk), MOST_CONFIRMED):
        key = f"fewer_emails:{reader.pk}:{switch}:{clock.now().isoformat()}"
        queue("fewer_emails", to=reader, key=key, context={"switch": switch, "undo": undo})
    return undo


def undo_path(token: str) -> str:
    """Return the path of the page that undoes a click."""
    return reverse("undo_unsubscribe", args=[token])


def _make_undo_token(reader: User) -> str:
    """Return a token of the reader's address and preferences before a click."""
    frequency = list(User.Frequency).index(User.Frequency(reader.frequency))
    before = [frequency, int(reader.at_once_when_alone), int(reader.every_move), *reader.reminders]
    return recipient_token(_UNDO, reader, *map(signing.b62_encode, before))


def read_undo_token(token: str) -> tuple[str, dict[str, Any]]:
    """Return the address and the earlier preferences from an undo token. Raises signing.BadSignature."""
    address, before = read_recipient(_UNDO, token)
    frequency, when_alone, every_move, *reminders = map(tokens.decode, before)
    values = [list(User.Frequency)[frequency].value, bool(when_alone), bool(every_move), reminders]
    return address, dict(zip(CHOICE, values, strict=True))


@transaction.atomic
def undo(token: str) -> None:
    """Restore the preferences from before a click. Raises signing.BadSignature for a wrong token."""
    address, before = read_undo_token(token)
    reader = _lock_reader(address)
    if reader is not None:
        for name, value in before.items():
            setattr(reader, name, value)
        keep_preferences(reader, CHOICE)


def _lock_reader(address: str) -> User | None:
    """Return the active user at this address, locked so that concurrent changes run one after another."""
    return User.objects.select_for_update(no_key=True).filter(email=address, is_active=True).first()
