"""Showing kept letters to the operator: links made clickable, pictures put where they belong.

A letter's text and HTML are other people's words: nothing of them may run or reach out.
"""

import base64
import email
import re
from email.header import decode_header, make_header
from email.message import Message

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from accounts.post.models import KeptLetter

_LINK = re.compile(r"https?://[^\s<>\"']+[^\s<>\"'.,;:!?)\]]")
_CID = re.compile(r"""(["'(])cid:([^"')\s]+)""")


def with_links(text: str) -> SafeString:
    """The text as HTML, everything escaped, with each http address a link."""
    pieces: list[SafeString] = []
    end = 0
    for found in _LINK.finditer(text):
        pieces.append(format_html("{}", text[end : found.start()]))
        pieces.append(format_html('<a href="{0}">{0}</a>', found.group()))
        end = found.end()
    pieces.append(format_html("{}", text[end:]))
    return format_html_join("", "{}", ((piece,) for piece in pieces))


def readable_headers(letter: KeptLetter) -> list[tuple[str, str]]:
    """The headers in their order, encoded words made readable."""
    return [(name, _decoded(value)) for name, value in letter.headers]


def html_to_show(letter: KeptLetter) -> str:
    """The letter's HTML with its own pictures in it, its links opening in the whole window."""
    pictures = _pictures(email.message_from_bytes(bytes(letter.source)))
    html = _CID.sub(lambda found: found[1] + pictures.get(found[2], "about:blank"), letter.html)
    return re.sub(r"(<head[^>]*>)", r'\1<base target="_top">', html, count=1)


def _pictures(message: Message) -> dict[str, str]:
    return {
        str(part["Content-ID"]).strip("<>"): _data_address(part)
        for part in message.walk()
        if part.get_content_maintype() == "image" and part["Content-ID"]
    }


def _data_address(part: Message) -> str:
    payload = part.get_payload(decode=True)
    picture = payload if isinstance(payload, bytes) else b""
    return f"data:{part.get_content_type()};base64,{base64.b64encode(picture).decode('ascii')}"


def _decoded(value: str) -> str:
    try:
        return str(make_header(decode_header(value)))
    except (ValueError, LookupError):  # a charset nobody knows: show it as it came
        return value
