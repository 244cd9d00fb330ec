"""Digests: several emails to one person that go out as one, and fewer turn emails by one click."""

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

WAITING = "waiting"  # the kind of email that collects what is asked of somebody, in his own frequency
MOVED = "moved"  # and the one that collects what he is told of moves
CHAT = "message"  # the one that collects what was said in one channel
DAILY = "daily"  # and what was said in a day, for who gets no email a day of what waits for him
KINDS = (WAITING, MOVED, CHAT, DAILY)


def collecting_email(
    kind: str, *, to: User, stem: str, about: Mapping[str, Any], due: datetime
) -> OutgoingEmail:
    """The person's email under this stem that nobody has begun to send; if there is none, a new one that
    goes at `due`.

    Its row is locked until the caller's transaction ends, so that whoever sends it finds what the caller has
    written. Whoever asks for emails of several people asks in the order of their numbers, as all do.
    """
    while (email := newest(stem)) is None or not is_open(email):
        # Who finds the same one sent makes the same key, and the outbox lets only one of them in.
        key = f"{stem}{email.pk if email else 0}"
        queue(kind, to=to, key=key, about=about, hold=due - clock.now())
    return email


def newest(stem: str) -> OutgoingEmail | None:
    """The latest email whose key begins so, locked."""
    found = OutgoingEmail.objects.select_for_update(of=("self",)).filter(key__startswith=stem)
    return found.order_by("-pk").first()


def is_open(email: OutgoingEmail) -> bool:
    """Whether nobody is sending this email, nor has closed it. A sender whose lease has run out may still
    come to and say that he sent it as he wrote it, and an email whose connection broke may have arrived."""
    is_free = email.leased_until is None and not email.waits_for_server
    return email.state == OutgoingEmail.State.QUEUED and is_free


def is_being_written(email: OutgoingEmail) -> bool:
    """Whether a transaction that is not over yet has put something into this email, and it must be waited
    for; whoever sends emails does the others meanwhile."""
    if email.kind not in KINDS:
        return False
    with transaction.atomic():
        row = OutgoingEmail.objects.select_for_update(of=("self",), skip_locked=True).filter(pk=email.pk)
        return not list(row.values_list("pk"))


@transaction.atomic
def keep_preferences(user: User, columns: Iterable[str]) -> None:
    """Stores these columns of somebody's preferences; what is under way goes by them from now on."""
    user.save(update_fields=list(columns))
    for name in settings.REMINDER_WATCHERS:  # first: games are locked before emails, as everywhere
        import_string(name)(user, clock.now())
    follow_frequency(user)


@transaction.atomic
def follow_frequency(user: User) -> None:
    """His preferences were changed: what was collected for him by the old ones goes by the new.

    Every email stays one email; one that was tried already goes on being tried.
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


# Fewer emails about one's turns by one click, the email that confirms it, and the way back.
#
# A click changes what the reader also chooses on the page of preferences; nothing else is stored.


# What a click turns off: the email of each turn, the daily email with its reminders, or reminders alone.
TURNS, DIGEST, REMINDERS = "turns", "digest", "reminders"
SWITCHES = frozenset({TURNS, DIGEST, REMINDERS})
CHOICE = ("frequency", "every_move", "reminders")  # the columns that a click changes
MOST_CONFIRMED = 10  # a day: the link may be in other hands

_SALT = "accounts.mail.undo"


def switch_of(reader: User | None, *, is_reminder: bool = False) -> str:
    """What one click on an email about a turn, or on a reminder, turns off for its reader."""
    if reader is not None and reader.frequency in (User.Frequency.DIGEST, User.Frequency.NEVER):
        return DIGEST
    return REMINDERS if is_reminder else TURNS


def is_turned_off(reader: User, switch: str) -> bool:
    """Whether these emails are off for this reader."""
    match switch:
        case "turns":
            return reader.frequency in (User.Frequency.DIGEST, User.Frequency.NEVER)
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
        reader.frequency = User.Frequency.DIGEST if switch == TURNS else User.Frequency.NEVER
        reader.every_move = False
    keep_preferences(reader, CHOICE)
    if hit("fewer emails", str(reader.pk), MOST_CONFIRMED):
        key = f"fewer_emails:{reader.pk}:{switch}:{clock.now().isoformat()}"
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
