"""Deliver due emails: claim a row, check that it is still needed, build, send, record."""

import logging
import secrets
from collections import deque
from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import InterfaceError, OperationalError
from django.utils import timezone, translation

from accounts import clock as site_clock
from accounts.full_disk import cannot_store, raise_if_full
from accounts.mail import circuit_breaker, delivery_status, leases, return_paths, sent_words, suppression
from accounts.mail.collecting import is_being_written
from accounts.mail.email_content import Content
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.mail.failure_reasons import ERROR_OF
from accounts.mail.messages import Recipient, build_message
from accounts.mail.models import OutgoingEmail
from accounts.mail.smtp_client import SmtpClient
from accounts.mail.smtp_failures import Broken, Delayed, EmailRefused, NoSuchAddress, ServerDown, Unwritable
from accounts.mail.subscriptions import is_unsubscribed
from accounts.mail.suppression import Cause
from accounts.mail.unsubscribe_switches import SWITCHES, is_turned_off
from accounts.models import User, known_language
from accounts.push.queueing import replaces_email
from accounts.ticks import after_a_tick

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]

BATCH = 20  # an email that comes in between waits for no more than these
LEAST_GIVING_WAY = 4  # of a batch, where the oldest give way: none waits for ever


def deliver_due(now: datetime | None = None, *, is_over: Callable[[], bool] | None = None) -> int:
    """Deliver the emails that are due and return how many the mail server accepted.

    `now` (aware) replaces the clock in tests. Once `is_over` returns True, by default after one tick's
    time or when the worker stops, it finishes only the current email; the next tick does the rest.
    """
    clock: Clock = site_clock.now if now is None else lambda: now
    is_over = is_over or after_a_tick()
    delivery_status.record_late(clock())
    with SmtpClient() as client, leases.Renewing(clock) as renewing:
        tick = Tick(clock, client, renewing)
        while not is_over() and (batch := _find_due(clock())):
            if not tick.deliver(batch, is_over):
                break
    return tick.sent


def _find_due(now: datetime) -> list[OutgoingEmail]:
    """Return a batch of due emails: those that give way after the others, but always some of them."""
    due = OutgoingEmail.objects.due(now).select_related("to_user")
    oldest = list(due[:BATCH])
    last = [email for email in oldest if email.gives_way]
    if len(oldest) == BATCH and last:
        first = list(due.filter(gives_way=False)[: BATCH - LEAST_GIVING_WAY])
    else:
        first = [email for email in oldest if not email.gives_way]
    last = last[: BATCH - len(first)]
    return first + (_from_anywhere(last) if len(oldest) == BATCH else last)


def _from_anywhere(emails: list[OutgoingEmail]) -> list[OutgoingEmail]:
    """Return the emails from a random one on, then those before it.

    Several threads find the same batch. If all began with the oldest email, only one would find it free.
    """
    start = secrets.randbelow(len(emails)) if emails else 0
    return emails[start:] + emails[:start]


class Tick:
    """One run through the emails that are due."""

    def __init__(self, clock: Clock, client: SmtpClient, renewing: leases.Renewing) -> None:
        self.sent = 0
        self._clock = clock
        self._client = client
        self._renewing = renewing
        self._had_trouble = False  # the mail server, before the email that leaves now

    def deliver(self, batch: list[OutgoingEmail], is_over: Callable[[], bool]) -> bool:
        """Deliver these emails; return False if the rest must wait for the next tick.

        That is so when the mail server needs a pause, or when no email in the batch was claimed by anyone.
        """
        if not circuit_breaker.may_try(circuit_breaker.breaker_state(), self._clock()):
            return False
        is_claimed, left = False, deque(batch)
        while left:
            if is_over():
                return False
            email = left.popleft()
            if delivery_status.is_accepted(email) or is_being_written(email):
                continue
            if not leases.claim(email, self._clock()):
                due = leases.still_due([email, *left], self._clock())
                is_claimed |= email not in due  # by another run
                left = deque(one for one in due if one is not email)
                continue
            is_claimed = True
            try:
                with self._renewing.of(email):
                    self.sent += self._deliver(email)
            except (ServerDown, Broken):
                return False  # server unhealthy, or broken by this email: the next tick continues
            except Exception as error:
                if cannot_store(error) and not delivery_status.is_accepted(email):
                    delivery_status.release(email, str(error))  # no attempt of this email's own
                raise
        return is_claimed

    def _deliver(self, email: OutgoingEmail) -> bool:
        """Send one claimed email and record the result. Return True if the server accepted it.

        Raises ServerDown and Broken.
        """
        if email.attempts > delivery_status.MOST_ATTEMPTS:  # the worker died in every attempt
            return self._close(email, OutgoingEmail.State.FAILED, email.last_error or "given up")
        try:
            message = self._build(email)
        except EmailRefused as error:
            return self._close(email, OutgoingEmail.State.FAILED, str(error))
        except Exception as error:  # builders are other apps' code; one bad row must not stop the rest
            raise_if_full(error)
            logger.exception("email %s could not be built", email.pk)
            # A lost database connection is not the row's fault, and may be back already.
            is_brief = isinstance(error, OperationalError | InterfaceError)
            reason = f"{'' if is_brief else delivery_status.NOT_BUILT}{type(error).__name__}: {error}"
            return delivery_status.retry_later(email, self._clock(), reason, is_brief=is_brief)
        return message is not None and self._send(email, message)

    def _build(self, email: OutgoingEmail) -> EmailMessage | None:
        """Return the message to send, or None if the row was closed because there is nothing to send."""
        recipient = _find_recipient(email)
        if recipient is None:
            self._close(email, OutgoingEmail.State.OVERTAKEN, "the account is closed, or a bot's")
            return None
        with translation.override(recipient.language), timezone.override(recipient.zone):
            content = EMAIL_KINDS[email.kind].build(email)
            if content is None or replaces_email(recipient.reader, email.key):
                self._close(email, OutgoingEmail.State.OVERTAKEN)
                return None
            email.to_address = recipient.address
            message = build_message(content, recipient, email.message_id)
            email.subject = str(message.subject)
            if _is_turned_off(content, recipient):
                self._close(email, OutgoingEmail.State.UNSUBSCRIBED)
                return None
            cause = self._look_before_sending(email)
            if cause is not None:
                self._close(email, OutgoingEmail.State.FAILED, ERROR_OF[cause])
                return None
            if recipient.reader is not None:
                sent_words.remember(recipient.reader, content, message)
        return return_paths.with_return_path(message, email.pk)

    def _look_before_sending(self, email: OutgoingEmail) -> Cause | None:
        """Return why this email is skipped, and note whether the server failed or refused emails before it.

        What others refuse while this email leaves counts as refused after it.
        """
        rows = suppression.causes_of(email).union(*circuit_breaker.troubles(), all=True)
        found = {text for (text,) in rows}
        causes = [cause for cause in Cause if cause in found]
        self._had_trouble = len(found) > len(causes)
        return causes[0] if causes else None

    def _send(self, email: OutgoingEmail, message: EmailMessage) -> bool:
        try:
            self._client.send(message, email.attempts)
        except ServerDown as error:
            circuit_breaker.record_outage(self._clock(), str(error))
            delivery_status.release(email, str(error))
            raise
        except Broken as error:
            circuit_breaker.record_break(self._clock(), str(error))
            delivery_status.retry_later(email, self._clock(), str(error), for_server=True)
            raise
        except Unwritable as error:
            return self._close(email, OutgoingEmail.State.FAILED, str(error))
        except (EmailRefused, Delayed) as error:
            return self._record_refusal(email, error)
        self._close(email, OutgoingEmail.State.SENT)
        if self._had_trouble:
            circuit_breaker.record_success(self._clock())
        return True

    def _record_refusal(self, email: OutgoingEmail, error: EmailRefused | Delayed) -> bool:
        """Close the refused email or schedule another try; return False.

        Raises ServerDown if everyone is refused.
        """
        now, of_address = self._clock(), isinstance(error, NoSuchAddress)
        if circuit_breaker.record_refusal(email, now, str(error), of_address=of_address):
            delivery_status.put_back(email, now, str(error))
            raise ServerDown(str(error)) from error
        if isinstance(error, Delayed):
            return delivery_status.retry_later(email, now, str(error))
        logger.warning("email %s was refused", email.pk)
        blamed = of_address or suppression.keeps_failing(email)
        return self._close(email, OutgoingEmail.State.FAILED, str(error), address_fails=blamed)

    def _close(
        self,
        email: OutgoingEmail,
        state: OutgoingEmail.State,
        error: str = "",
        *,
        address_fails: bool = False,
    ) -> bool:
        return delivery_status.close(email, state, self._clock(), error, address_fails=address_fails)


def _is_turned_off(content: Content, recipient: Recipient) -> bool:
    """Return whether the recipient turned off the emails that this one belongs to."""
    stops = content.stops or content.list_id
    if stops in SWITCHES:
        return recipient.reader is not None and is_turned_off(recipient.reader, stops)
    return stops is not None and is_unsubscribed(recipient.address, stops)


def _find_recipient(email: OutgoingEmail) -> Recipient | None:
    """Return the current recipient: the account's present address, or None for a closed account or a bot.

    A bare address may have become an account since. If not, the email's context may name the language of the
    person who caused it.
    """
    reader = email.to_user or User.objects.filter(email=email.to_address).first()
    if reader is None:
        language = known_language(email.context.get("language", ""))
        return Recipient(email.to_address, None, language, ZoneInfo(settings.TIME_ZONE), email)
    if not reader.is_active or reader.is_bot:
        return None
    address = reader.email if email.to_user is not None else email.to_address
    return Recipient(address, reader, known_language(reader.language), reader.zone)
