"""Read delivery reports that are not RFC 3464. flufl.bounce knows how dozens of programs write them.

Strangers write them, so it is given a short copy: few parts, few lines, short lines, and no returned email.
"""

import logging
import re
from email.message import Message

from flufl.bounce import all_failures

from accounts.mail.message_parts import parts_of

logger = logging.getLogger(__name__)
logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)  # it logs the traceback of what it raises

MOST_PARTS = 3  # of a part
DEEPEST = 3
MOST_LINES = 80  # of a text
LONGEST_LINE = 250
_LONGEST_SOURCE = 64 * 1024
_LONGEST_HEADER = 250
_LONGEST_WORDS = 1000
_HEADERS = ("From", "Subject", "X-Mailer", "X-Failed-Recipients", "Content-Description")
# Where the returned email, or another report of the same, begins.
_ENDS = re.compile(
    r"(?!.*transcript of session)\W*"
    r"(?:-{3}|={5}|_{5}|(?:Received|Return-Path|Reporting-MTA|Message-ID|Subject):)"
    r"|.{0,80}(?:original message|copy of (?:the|your) message|message text follows)"
    r"|.{0,80}headers?\b.{0,30}\bfollow",
    re.IGNORECASE,
)


def words_of_failure(message: Message) -> str | None:
    """Return what the report says of a permanent failure, or None if it reports none."""
    try:
        copy = _short_copy(message, DEEPEST)
        temporary, permanent = all_failures(copy)
    except Exception as error:  # noqa: BLE001 (whatever a strange message does to the library)
        logger.info("a message to a return path cannot be read: %s", type(error).__name__)
        return None
    addresses = {address.decode("ascii", "replace").lower() for address in permanent if b"@" in address}
    return None if temporary or not addresses else _words_about(addresses, copy)


def _short_copy(part: Message, levels: int) -> Message:
    copy = Message()
    for name in _HEADERS:
        if part[name] is not None:
            copy[name] = str(part[name])[:_LONGEST_HEADER]
    if not part.is_multipart():
        copy["Content-Type"] = part.get_content_type()
        copy.set_payload(_short_text(part))
        return copy
    copy["Content-Type"] = part.get_content_type()
    inner = [one for one in parts_of(part) if one.get_content_maintype() != "message"]
    copy.set_payload([_short_copy(one, levels - 1) for one in inner[:MOST_PARTS]] if levels > 1 else "")
    return copy


def _short_text(part: Message) -> str:
    if part.get_content_maintype() != "text":
        return ""
    source = part.get_payload(decode=True)
    text = source[:_LONGEST_SOURCE].decode("utf-8", "replace") if isinstance(source, bytes) else ""
    lines = text.replace("\r\n", "\n").split("\n")[:MOST_LINES]
    return "\n".join(line[:LONGEST_LINE] for line in lines)


def _words_about(addresses: set[str], copy: Message) -> str:
    """Return the lines from the first that names one of the addresses, up to the returned email."""
    texts = (str(part.get_payload()) for part in copy.walk() if not part.is_multipart())
    lines = [line for text in texts for line in text.split("\n")]
    begin = next((number for number, line in enumerate(lines) if _names(line, addresses)), 0)
    found = list[str]()
    for line in lines[begin:]:
        if found and _ENDS.match(line):
            break
        found.append(line)
    return "\n".join(found)[:_LONGEST_WORDS]


def _names(line: str, addresses: set[str]) -> bool:
    return any(address in line.lower() for address in addresses)
