"""Unsubscribing by mail (RFC 2369): a message to the address in List-Unsubscribe does what one click does.

The address names a reader and a list, as the link does.
"""

import logging
import re
from email.message import Message

from django.conf import settings

from accounts import tokens
from accounts.addresses import normal_address
from accounts.mail.list_names import name_of_list
from accounts.mail.models import OutgoingEmail
from accounts.mail.own_addresses import in_base_36, tagged
from accounts.mail.receiving import inbox
from accounts.mail.subscriptions import Subscription
from accounts.mail.unsubscribe_links import address_of
from accounts.mail.unsubscribe_switches import turn_off
from accounts.models import User

logger = logging.getLogger(__name__)

UNSUBSCRIBE = "unsubscribe"  # what these addresses are signed for
_LONGEST_LOCAL_PART = 64  # RFC 5321, 4.5.3.1.1
_LIST = re.compile(r"([a-z]{1,12})(?:-([0-9]{1,12}))?")  # such as "game-42"; a word is a number in base 36


def unsubscribe_address(reader: User | OutgoingEmail, list_id: str) -> str:
    """Return the address to which a message turns this list off for a reader; empty if none can."""
    mailbox, found = settings.REPLY_ADDRESS or settings.BOUNCE_ADDRESS, _LIST.fullmatch(list_id)
    if not mailbox or found is None:
        return ""
    is_email = isinstance(reader, OutgoingEmail)
    address = normal_address(reader.to_address if isinstance(reader, OutgoingEmail) else reader.email)
    numbers = (2 * int(reader.pk) + is_email, tokens.decode(tokens.fingerprint(address)))
    word, number = int(found[1], 36), int(found[2]) + 1 if found[2] else 0
    made = tagged(mailbox, UNSUBSCRIBE, *numbers, word, number)
    return made if len(made.rpartition("@")[0]) <= _LONGEST_LOCAL_PART else ""


@inbox(UNSUBSCRIBE, setting="REPLY_ADDRESS", or_setting="BOUNCE_ADDRESS", count=4)
def take_unsubscription(numbers: list[int], message: Message) -> None:
    """Turn off the list that the address names, whatever the message says. A report turns off nothing."""
    who, fingerprint, word, number = numbers
    list_id = in_base_36(word) + (f"-{number - 1}" if number else "")
    pk, is_email = divmod(who, 2)
    address = address_of(OutgoingEmail if is_email else User, pk)
    if message.get_content_type() == "multipart/report":
        logger.info("a report to an address for unsubscribing: ignored")
    elif tokens.decode(tokens.fingerprint(address)) != fingerprint:
        logger.info("the address that unsubscribes by mail is not known any more: ignored")
    else:
        turn_off(Subscription(address, list_id, name_of_list(list_id)))
