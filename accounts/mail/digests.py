"""Digests that combine several emails into one, and the unsubscribe switches for turn emails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.urls import reverse
from django.utils.module_loading import import_string

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.notification_frequency import next_send_at
from accounts.rate_limits import hit

WAITING = "waiting"  # collects games where it is the reader's turn, at the frequency they chose
MOVED = "moved"  # collects other players' moves
CHAT = "message"  # collects the messages of one channel
DAILY = "daily"  # collects a day's messages, for readers without the daily email about their turns
KINDS = (WAITING, MOVED, CHAT, DAILY)


def collecting_email(
    kind: str, *, to: User, key_prefix: str, context: Mapping[str, Any], due: datetime
) -> OutgoingEmail:
    """Return the open digest with this key prefix; if there is none, queue a new one due at `due`.

    Its row stays locked until the caller's transaction ends, so that the sender sees what the caller wrote.
    To collect for several people, go through them in order of primary key, which avoids deadlocks.
    """
    while (email := newest(key_prefix)) is None or not is_open(email):
        # Two callers that find the same sent email make the same key, and the outbox accepts only one.
        key = f"{key_prefix}{email.pk if email else 0}"
        queue(kind, to=to, key=key, context=context, hold=due - clock.now())
    return email


def newest(key_prefix: str) -> OutgoingEmail | None:
    """Return the latest email whose key starts with `key_prefix`, locked."""
    found = OutgoingEmail.objects.select_for_update(of=("self",)).filter(key__startswith=key_prefix)
    return found.order_by("-pk").first()


def is_open(email: OutgoingEmail) -> bool:
    """Return whether no worker is sending this email and it is not closed.

    A worker whose lease ran out may still wake up and record the email as sent.
    An email whose connection broke may have arrived.
    """
    is_free = email.leased_until is None and not email.waits_for_server
    return email.state == OutgoingEmail.State.QUEUED and is_free


def is_being_written(email: OutgoingEmail) -> bool:
    """Return whether an open transaction is still adding to this digest, so that sending must wait.

    The worker sends other emails first.
    """
    if email.kind not in KINDS:
        return False
    with transaction.atomic():
        row = OutgoingEmail.objects.select_for_update(of=("self",), skip_locked=True).filter(pk=email.pk)
        return not list(row.values_list("pk"))


@transaction.atomic
def keep_preferences(user: User, columns: Iterable[str]) -> None:
    """Save these preference columns and apply them to queued emails and reminders."""
    user.save(update_fields=list(columns))
    for name in settings.REMINDER_WATCHERS:  # first, because games are locked before emails everywhere
        import_string(name)(user, clock.now())
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
    for name in settings.FREQUENCY_WATCHERS:
        import_string(name)(user, now)


# Unsubscribe switches for turn emails: a click changes the preferences; nothing else is stored


# What a click turns off: the email of each turn, the daily email with its reminders, or reminders only.
TURNS, DIGEST, REMINDERS = "turns", "digest", "reminders"
SWITCHES = frozenset({TURNS, DIGEST, REMINDERS})
CHOICE = ("frequency", "every_move", "reminders")  # columns that a click changes
MOST_CONFIRMED = 10  # per day; someone else may have the link

_SALT = "accounts.mail.undo"


def switch_of(reader: User | None, *, is_reminder: bool = False) -> str:
    """Return which switch an unsubscribe click in a turn or reminder email uses for this reader."""
    if reader is not None and reader.frequency in (User.Frequency.DIGEST, User.Frequency.NEVER):
        return DIGEST
    return REMINDERS if is_reminder else TURNS


def is_turned_off(reader: User, switch: str) -> bool:
    """Return whether this switch is off for the reader."""
    match switch:
        case "turns":
            return reader.frequency in (User.Frequency.DIGEST, User.Frequency.NEVER)
        case "reminders":
            return reader.gets_no_emails or not reader.reminders
    return reader.gets_no_emails


def reader_at(address: str) -> User | None:
    """Return the active user with this address, or None."""
    return User.objects.filter(email=address, is_active=True).first()


@transaction.atomic
def turn_off(address: str, switch: str) -> str:
    """Turn these emails off for the user at this address and queue one confirmation email.

    Returns the undo token, or an empty string if nothing changed, as when a click is repeated.
    """
    reader = _locked(address)
    if reader is None or is_turned_off(reader, switch):
        return ""
    undo = signing.dumps([reader.email, *(getattr(reader, name) for name in CHOICE)], salt=_SALT)
    if switch == REMINDERS:
        reader.reminders = []
    else:
        reader.frequency = User.Frequency.DIGEST if switch == TURNS else User.Frequency.NEVER
        reader.every_move = False
    keep_preferences(reader, CHOICE)
    if hit("fewer emails", str(reader.pk), MOST_CONFIRMED):
        key = f"fewer_emails:{reader.pk}:{switch}:{clock.now().isoformat()}"
        queue("fewer_emails", to=reader, key=key, context={"switch": switch, "undo": undo})
    return undo


def undo_path(token: str) -> str:
    """Return the path of the page that undoes a click."""
    return reverse("undo_unsubscribe", args=[token])


def read_undo_token(token: str) -> tuple[str, dict[str, Any]]:
    """Return the address and the earlier preferences from an undo token. Raises signing.BadSignature."""
    address, *before = signing.loads(token, salt=_SALT)
    return address, dict(zip(CHOICE, before, strict=True))


@transaction.atomic
def undo(token: str) -> None:
    """Restore the preferences from before a click. Raises signing.BadSignature for a wrong token."""
    address, before = read_undo_token(token)
    reader = _locked(address)
    if reader is not None:
        for name, value in before.items():
            setattr(reader, name, value)
        keep_preferences(reader, CHOICE)


def _locked(address: str) -> User | None:
    """Return the active user at this address, locked so that concurrent changes run one after another."""
    return User.objects.select_for_update(no_key=True).filter(email=address, is_active=True).first()
