"""Delivering what is due: claim a row by lease, look whether its reason still stands, write, send, record.

A tick reads first and writes only for rows that are due. Several ticks at once are harmless.
"""

import logging
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import InterfaceError, OperationalError
from django.utils import timezone, translation
from django.utils.module_loading import import_string

from accounts import present
from accounts.models import User, known_language
from accounts.post import failing, fates, leases, return_paths, server
from accounts.post.carrier import Broken, Carrier, Delayed, NoSuchAddress, Refused, ServerDown
from accounts.post.collecting import is_being_written
from accounts.post.content import Content
from accounts.post.models import Letter, MailServer
from accounts.post.reasons import ADDRESS_FAILS
from accounts.post.turn_emails import SWITCHES, is_turned_off
from accounts.post.unsubscribing import is_silenced
from accounts.post.writing import Recipient, write

logger = logging.getLogger(__name__)

Builder = Callable[[Letter], Content | None]
Clock = Callable[[], datetime]

BATCH = 100
TICK_SECONDS = 10.0


def deliver_due(now: datetime | None = None, *, is_stopping: Callable[[], bool] = lambda: False) -> int:
    """Delivers the letters whose moment has come and returns how many the mail server accepted.

    `now` (aware) stands for the clock in tests. Returns after about TICK_SECONDS at the latest, and after
    the letter in hand once `is_stopping`; what is left is the next tick's.
    """
    clock: Clock = present.now if now is None else lambda: now
    stop_at = time.monotonic() + TICK_SECONDS

    def is_over() -> bool:
        return is_stopping() or time.monotonic() > stop_at

    with Carrier() as carrier, leases.Renewing(clock) as renewing:
        tick = Tick(clock, carrier, renewing)
        while not is_over() and (batch := _due(clock())):
            if not tick.deliver(batch, is_over):
                break
    return tick.sent


def _due(now: datetime) -> list[Letter]:
    return list(Letter.objects.due(now).select_related("to_user")[:BATCH])


class Tick:
    """One tick's way through the letters that are due."""

    def __init__(self, clock: Clock, carrier: Carrier, renewing: leases.Renewing) -> None:
        self.sent = 0
        self._clock = clock
        self._carrier = carrier
        self._renewing = renewing
        self._unwell: MailServer | None = None

    def deliver(self, batch: list[Letter], is_over: Callable[[], bool]) -> bool:
        """Delivers these letters; False if what is left waits for the next tick: the mail server shall be
        left alone, or none of the letters is free."""
        self._unwell = server.present_state()
        if not server.may_be_asked(self._unwell, self._clock()):
            return False
        claimed = 0
        for letter in batch:
            if is_over():
                return False
            if not is_being_written(letter) and leases.claim(letter, self._clock()):
                claimed += 1
                try:
                    with self._renewing.of(letter):
                        self.sent += self._deliver(letter)
                except (ServerDown, Broken):
                    return False  # the server is not well, or this letter makes it so: the next tick will see
        return claimed > 0

    def _deliver(self, letter: Letter) -> bool:
        """One claimed letter, up to the record; True if the server took it. Raises ServerDown and Broken."""
        if letter.attempts > fates.MOST_ATTEMPTS:  # every attempt ended with the death of its worker
            return self._close(letter, Letter.State.FAILED, letter.last_error or "given up")
        try:
            message = self._written(letter)
        except Refused as error:
            return self._close(letter, Letter.State.FAILED, str(error))
        except Exception as error:  # builders and templates are other rooms' code; one bad row stops no other
            logger.exception("letter %s could not be written", letter.pk)
            # A database that went away is no fault of the row, and may be back already.
            is_brief = isinstance(error, OperationalError | InterfaceError)
            return fates.park(letter, self._clock(), f"{type(error).__name__}: {error}", is_brief=is_brief)
        return message is not None and self._carry(letter, message)

    def _written(self, letter: Letter) -> EmailMessage | None:
        """The message to send, or None where the row was closed because nothing is to be sent."""
        recipient = _recipient(letter)
        if recipient is None:
            self._close(letter, Letter.State.OVERTAKEN, "the account is closed")
            return None
        with translation.override(recipient.language), timezone.override(recipient.zone):
            content = _builder(letter.kind)(letter)
            if content is None:
                self._close(letter, Letter.State.OVERTAKEN)
                return None
            letter.to_address = recipient.address
            message = write(content, recipient, letter.message_id)
            letter.subject = str(message.subject)
            if _is_turned_off(content, recipient):
                self._close(letter, Letter.State.UNSUBSCRIBED)
                return None
            if failing.is_withheld(letter):
                self._close(letter, Letter.State.FAILED, ADDRESS_FAILS)
                return None
        return return_paths.to_come_back(message, letter.pk)

    def _carry(self, letter: Letter, message: EmailMessage) -> bool:
        try:
            self._carrier.carry(message, letter.attempts)
        except ServerDown as error:
            server.is_down(self._clock(), str(error))
            fates.give_back(letter, str(error))
            raise
        except Broken as error:
            server.has_broken(self._clock(), str(error))
            fates.park(letter, self._clock(), str(error), for_server=True)
            raise
        except Refused as error:
            logger.warning("letter %s was refused", letter.pk)
            blamed = isinstance(error, NoSuchAddress)
            self._close(letter, Letter.State.FAILED, str(error), address_fails=blamed)
        except Delayed as error:
            fates.park(letter, self._clock(), str(error))
        else:
            self._close(letter, Letter.State.SENT)
        self._server_is_well()
        return letter.state == Letter.State.SENT

    def _close(
        self, letter: Letter, state: Letter.State, error: str = "", *, address_fails: bool = False
    ) -> bool:
        return fates.close(letter, state, self._clock(), error, address_fails=address_fails)

    def _server_is_well(self) -> None:
        if self._unwell is not None:
            server.is_well(self._clock())
            self._unwell = None


def _is_turned_off(content: Content, recipient: Recipient) -> bool:
    """Whether the reader turned off what this letter belongs to."""
    stops = content.stops or content.list_id
    if stops in SWITCHES:
        return recipient.reader is not None and is_turned_off(recipient.reader, stops)
    return stops is not None and is_silenced(recipient.address, stops)


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
