"""Delivering what is due: claim a row by lease, look whether its reason still stands, write, send, record.

A tick reads first and writes only for rows that are due. Several ticks at once are harmless.
"""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import F, Q
from django.utils import timezone, translation
from django.utils.module_loading import import_string

from accounts import present
from accounts.models import User, known_language
from accounts.post.carrier import Broken, Carrier, Delayed, Refused, ServerDown
from accounts.post.content import Content
from accounts.post.models import Letter
from accounts.post.unsubscribing import is_silenced
from accounts.post.writing import Recipient, write

logger = logging.getLogger(__name__)

Builder = Callable[[Letter], Content | None]

LEASE = timedelta(
    minutes=5
)  # longer than the slowest talk with a mail server; then the row is anybody's again
PAUSE = timedelta(seconds=20)  # how long rows rest when the server takes no letter at all
DELAYS = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 15, 60))
LAST_DELAY = timedelta(hours=2)
MOST_ATTEMPTS = 28  # with the delays above: given up after two days
BATCH = 100
TICK_SECONDS = 20.0
_LONGEST_ERROR = 1000


def deliver_due(now: datetime | None = None) -> int:
    """Delivers the letters whose moment has come and returns how many the mail server accepted.

    `now` (aware) stands for the clock in tests. Returns after about TICK_SECONDS at the latest; what is left
    is the next tick's.
    """
    stop_at = time.monotonic() + TICK_SECONDS
    sent = 0
    with Carrier() as carrier:
        while batch := list(Letter.objects.due(now or present.now()).select_related("to_user")[:BATCH]):
            for number, letter in enumerate(batch):
                try:
                    sent += _deliver(letter, carrier, now or present.now())
                except ServerDown as error:
                    _rest(batch[number:], now or present.now(), str(error))
                    return sent
                except Broken:
                    return sent  # the server is not well, or this letter makes it so: the next tick will see
                if time.monotonic() > stop_at:
                    return sent
    return sent


def _deliver(letter: Letter, carrier: Carrier, now: datetime) -> bool:
    """One letter, from claim to record; True if the server accepted it. Raises ServerDown and Broken."""
    if not _claim(letter, now):
        return False
    if letter.attempts > MOST_ATTEMPTS:  # every attempt ended with the death of its worker
        return _close(letter, Letter.State.FAILED, now, letter.last_error or "given up")
    try:
        message = _written(letter, now)
    except Refused as error:
        return _close(letter, Letter.State.FAILED, now, str(error))
    except (
        Exception
    ) as error:  # a builder and its templates are other rooms' code; one bad row stops no other
        logger.exception("letter %s could not be written", letter.pk)
        return _park(letter, now, f"{type(error).__name__}: {error}")
    return message is not None and _carry(letter, message, carrier, now)


def _written(letter: Letter, now: datetime) -> EmailMessage | None:
    """The message to send, or None where the row was closed because nothing is to be sent."""
    recipient = _recipient(letter)
    if recipient is None:
        _close(letter, Letter.State.OVERTAKEN, now, "the account is closed")
        return None
    with translation.override(recipient.language), timezone.override(recipient.zone):
        content = _builder(letter.kind)(letter)
        if content is None:
            _close(letter, Letter.State.OVERTAKEN, now)
            return None
        if content.list_id is not None and is_silenced(recipient.address, content.list_id):
            _close(letter, Letter.State.UNSUBSCRIBED, now)
            return None
        return write(content, recipient, letter.message_id)


def _carry(letter: Letter, message: EmailMessage, carrier: Carrier, now: datetime) -> bool:
    try:
        carrier.carry(message)
    except ServerDown as error:
        _give_back(letter, now, str(error))
        raise
    except Broken as error:
        _park(letter, now, str(error))
        raise
    except Refused as error:
        logger.warning("letter %s was refused", letter.pk)
        return _close(letter, Letter.State.FAILED, now, str(error))
    except Delayed as error:
        return _park(letter, now, str(error))
    return _close(letter, Letter.State.SENT, now)


def _builder(kind: str) -> Builder:
    kinds: Mapping[str, str] = settings.LETTER_KINDS
    builder: Builder = import_string(kinds[kind])
    return builder


def _recipient(letter: Letter) -> Recipient | None:
    """Who the letter goes to today: an account's present address; None for an account that was closed.

    A bare address may have become an account since, or the row may say its language and zone.
    """
    reader = letter.to_user or User.objects.filter(email=letter.to_address).first()
    if reader is None:
        language = known_language(letter.about.get("language", ""))
        return Recipient(letter.to_address, None, language, ZoneInfo(settings.TIME_ZONE))
    if not reader.is_active:
        return None
    address = reader.email if letter.to_user is not None else letter.to_address
    return Recipient(address, reader, known_language(reader.language), reader.zone)


def _claim(letter: Letter, now: datetime) -> bool:
    """Compare-and-set: of all who saw the row due, one gets the lease."""
    free = Q(leased_until=None) | Q(leased_until__lte=now)
    lease = now + LEASE
    claimed = Letter.objects.filter(
        free, pk=letter.pk, state=Letter.State.QUEUED, attempts=letter.attempts, not_before__lte=now
    ).update(leased_until=lease, attempts=F("attempts") + 1)
    if claimed:
        letter.attempts += 1
        letter.leased_until = lease
    return bool(claimed)


def _record(letter: Letter, **columns: object) -> None:
    """Writes what became of the attempt, if the lease is still ours."""
    Letter.objects.filter(
        pk=letter.pk, state=Letter.State.QUEUED, attempts=letter.attempts, leased_until=letter.leased_until
    ).update(leased_until=None, **columns)


def _close(letter: Letter, state: Letter.State, now: datetime, error: str = "") -> bool:
    """The letter's fate is known; a secret it carried is forgotten. True if it was sent."""
    sent = state == Letter.State.SENT
    columns: dict[str, object] = {"state": state, "last_error": error[:_LONGEST_ERROR]}
    if sent:
        columns["sent_at"] = now
    if letter.forgets:
        columns["about"] = {}
    if letter.forgets_address:
        columns |= {"to_address": "", "last_error": ""}
    _record(letter, **columns)
    return sent


def _park(letter: Letter, now: datetime, error: str) -> bool:
    """The letter waits longer after each attempt and is given up in the end; never counts as sent."""
    if letter.attempts >= MOST_ATTEMPTS:
        return _close(letter, Letter.State.FAILED, now, error)
    delay = DELAYS[letter.attempts - 1] if letter.attempts <= len(DELAYS) else LAST_DELAY
    _record(letter, not_before=now + delay, last_error=error[:_LONGEST_ERROR])
    return False


def _give_back(letter: Letter, now: datetime, error: str) -> None:
    """A server that takes nothing is not the letter's fault: the attempt does not count."""
    _record(letter, attempts=letter.attempts - 1, not_before=now + PAUSE, last_error=error[:_LONGEST_ERROR])


def _rest(letters: list[Letter], now: datetime, error: str) -> None:
    """Lets rows nobody has claimed rest for a while, and says on each why it waits."""
    logger.warning("the mail server takes no letters: %s", error)
    Letter.objects.due(now).filter(pk__in=[letter.pk for letter in letters]).order_by().update(
        not_before=now + PAUSE, last_error=error[:_LONGEST_ERROR]
    )
