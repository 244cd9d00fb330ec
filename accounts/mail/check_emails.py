"""The email by which `check_site` tries the way out and back; what comes back to its address is kept.

The receiving part writes a row, for which the command waits. So it works in every way mail reaches the site.
"""

import logging
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext_lazy, pgettext

from accounts import clock
from accounts.mail.email_content import Content
from accounts.mail.email_kinds import email_kind
from accounts.mail.list_names import names_list
from accounts.mail.models import CheckEmail, OutgoingEmail
from accounts.mail.outbox import queue
from accounts.mail.own_addresses import tagged
from accounts.mail.receiving import ReceivedMessage, inbox

logger = logging.getLogger(__name__)

CHECK = "check"  # the kind of email, its list, and what its address is signed for
ADDRESSES_LAST = timedelta(days=1)


def own_mailbox() -> str:
    """Return the mailbox whose mail comes to this site; empty if none does."""
    return str(settings.REPLY_ADDRESS or settings.BOUNCE_ADDRESS)


@transaction.atomic
def queue_check_email(to: str = "") -> tuple[CheckEmail, OutgoingEmail]:
    """Queue an email to this address, or to the site's own; return the row for its answer, and the email."""
    check = CheckEmail.objects.create()
    is_to_a_person = bool(to)
    email = queue(
        CHECK,
        to=to or check_address(check),
        key=f"{CHECK}-{check.pk}",
        context={"check": check.pk, "is_to_a_person": is_to_a_person},
    )
    return check, email


def check_address(check: CheckEmail) -> str:
    """Return the address that recognises answers to this email; empty if no mail comes to the site."""
    return tagged(own_mailbox(), CHECK, check.pk, dated=True) if own_mailbox() else ""


@email_kind(CHECK, name=gettext_lazy("Check of the site"))
def check(email: OutgoingEmail) -> Content | None:
    """Build the email; None once the command no longer waits for it. It has all headers of a turn email."""
    row = CheckEmail.objects.filter(pk=email.context["check"]).first()
    if row is None:
        return None
    address = check_address(row)
    asks_for_reply = bool(address) and bool(email.context["is_to_a_person"])
    return Content(
        "check",
        {"asks_for_reply": asks_for_reply},
        list_id=CHECK,
        list_name=_checks(0),
        reply_to=address,
    )


@names_list(CHECK)
def _checks(_number: int) -> str:
    return pgettext("kind of email", "Checks of the site")


@inbox(CHECK, setting="REPLY_ADDRESS", or_setting="BOUNCE_ADDRESS", count=1, max_age=ADDRESSES_LAST)
def take_answer(numbers: list[int], message: ReceivedMessage) -> None:
    """Keep the first message that comes back, whatever it says: the command reads it."""
    [number] = numbers
    came_back = CheckEmail.objects.filter(pk=number, came_back_at=None).update(
        came_back_at=clock.now(),
        return_path=_storable(str(message["Return-Path"] or "")),
        source=message.source,
    )
    logger.info("an answer to check %s came back%s", number, "" if came_back else ": ignored")


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", "?").strip()
