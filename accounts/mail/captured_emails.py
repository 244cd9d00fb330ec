"""Captured emails as the operator reads and answers them.

Their text and HTML are untrusted, so nothing in them may run or be fetched.
"""

import base64
import re
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.utils import make_msgid

from django.core.mail.message import EmailMessage
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.mail.models import CapturedEmail

_LINK = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")
_CID = re.compile(r"""(["'(])cid:([^"')\s]+)""")


def reply_address_of(email: CapturedEmail) -> str:
    """Return where a reply to this email goes; empty if the site reads none."""
    return next((str(value) for name, value in email.headers if name == "Reply-To"), "")


def reply_to(email: CapturedEmail, text: str) -> bytes:
    """Return the message that a mail program would send with this text above the quoted email."""
    quoted = "\n".join(f"> {line}" for line in email.text.splitlines())
    headers = {
        "From": email.to,
        "To": reply_address_of(email),
        "Subject": f"Re: {email.subject}",
        "Message-ID": make_msgid(domain="localhost"),
        "In-Reply-To": next((value for name, value in email.headers if name == "Message-ID"), ""),
    }
    message = EmailMessage(
        headers["Subject"], f"{text}\n\n{quoted}\n", email.to, [headers["To"]], headers=headers
    )
    return message.message().as_bytes()


def with_links(text: str) -> SafeString:
    """Return the text as escaped HTML with each http address as a link."""
    pieces: list[SafeString] = []
    end = 0
    for found in _LINK.finditer(text):
        pieces.append(format_html("{}", text[end : found.start()]))
        pieces.append(format_html('<a href="{0}">{0}</a>', found.group()))
        end = found.end()
    pieces.append(format_html("{}", text[end:]))
    return format_html_join("", "{}", ((piece,) for piece in pieces))


def readable_headers(email: CapturedEmail) -> list[tuple[str, str]]:
    """Return the headers in order, with encoded words decoded."""
    return [(name, _decode_header_value(value)) for name, value in email.headers]


def html_to_show(email: CapturedEmail) -> str:
    """Return the email's HTML with inline images embedded and links opening in the whole window."""
    pictures = _pictures_by_cid(message_from_bytes(bytes(email.source)))
    html = _CID.sub(lambda found: found[1] + pictures.get(found[2], "about:blank"), email.html)
    return re.sub(r"(<head[^>]*>)", r'\1<base target="_top">', html, count=1)


def _pictures_by_cid(message: Message) -> dict[str, str]:
    return {
        str(part["Content-ID"]).strip("<>"): _data_address(part)
        for part in message.walk()
        if part.get_content_maintype() == "image" and part["Content-ID"]
    }


def _data_address(part: Message) -> str:
    payload = part.get_payload(decode=True)
    picture = payload if isinstance(payload, bytes) else b""
    return f"data:{part.get_content_type()};base64,{base64.b64encode(picture).decode('ascii')}"


def _decode_header_value(value: str) -> str:
    try:
        return str(make_header(decode_header(value)))
    except (ValueError, LookupError):  # unknown charset: show the raw value
        return value
