"""Build email messages: templates, headers, images.

Nothing here may open a connection or change a row.
"""

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from email.header import Header
from email.mime.image import MIMEImage
from typing import Any

import css_inline
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template import Context
from django.template.loader import get_template

from accounts.addresses import absolute_url, site_host
from accounts.characters import cut
from accounts.mail.email_content import Content, InlineImage
from accounts.mail.models import OutgoingEmail
from accounts.mail.subjects import fit_subject
from accounts.mail.unsubscribe_links import unsubscribe_path
from accounts.mail.unsubscribing import unsubscribe_address
from accounts.models import LANGUAGE_IN_LINK, User
from accounts.own_name import sender, site_name

# Gmail reports complaints by kind of email and this sender, to operators who sign Feedback-ID with DKIM.
FEEDBACK_SENDER = "condottiere"

LINE_LENGTH = 72  # so that a quoted reply does not break lines
_LONGEST_GREETING = 60
_FOOTER_LINE = "-- "  # mail programs recognize it by the trailing space (RFC 3676, 4.3)
_LONGEST_HEADER_LINE = 990
_LONGEST_LIST_NAME = 60
_MARGINS = re.compile(r"(<pre\b.*?</pre>)|[ \t]*\n[ \t\n]*", re.DOTALL)
_inliner = css_inline.CSSInliner(keep_at_rules=True, minify_css=True, load_remote_stylesheets=False)


@dataclass(frozen=True)
class Recipient:
    """Recipient of one email: an address, and the user if known; otherwise the email's row names them."""

    address: str
    reader: User | None
    language: str
    zone: Any
    row: OutgoingEmail | None = None


class UnfoldedHeaders(EmailMultiAlternatives):
    """A message whose headers with links and identifiers are not folded."""

    def message(self, *args: Any, **kwargs: Any) -> Any:
        """Return the message with header lines as long as RFC 5322 allows."""
        message: Any = super().message(*args, **kwargs)
        message.policy = message.policy.clone(max_line_length=_LONGEST_HEADER_LINE)
        return message


def build_message(content: Content, recipient: Recipient, message_id: str) -> EmailMultiAlternatives:
    """Return the message to one recipient, rendered in the active language and time zone."""
    unsubscribe_url = _unsubscribe_url(content, recipient)
    context = {
        **content.context,
        "reader": recipient.reader,
        "site_name": site_name(),
        "site_url": settings.SITE_URL,
        "list_name": content.list_name,
        "unsubscribe_url": unsubscribe_url,
        "stops": (content.stops or content.list_id or "").partition("-")[0],
        "languages": _other_languages(content, recipient),
        "reply_to": content.reply_to,
    }
    text = _render(content, "body.txt", context)
    message = UnfoldedHeaders(
        subject=one_line(fit_subject(_render(content, "subject.txt", context))),
        body=wrapped(text),
        from_email=sender(),
        to=[recipient.address],
        headers=_headers(content, message_id) | _list_headers(content, recipient, unsubscribe_url),
    )
    html = _inliner.inline(
        _render(content, "body.html", context | {"first_paragraph": first_paragraph(text)})
    )
    message.attach_alternative(without_margins(html), "text/html")
    _attach_images(message, content.images)
    return message


def without_margins(html: str) -> str:
    """Return the HTML without the blank lines and indents of templates; those in `<pre>` stay."""
    return _MARGINS.sub(lambda found: found[1] or "\n", html)


def first_paragraph(text: str) -> str:
    """Return what a list of emails shows next to the subject, unless the kind has its own.

    A greeting is followed by the next paragraph.
    """
    first, *others = text.strip().split("\n\n")
    is_greeting = len(first) < _LONGEST_GREETING and bool(others) and "://" not in others[0]
    return one_line(f"{first} {others[0]}" if is_greeting else first)


def one_line(text: str) -> str:
    """Return header text: line breaks and control characters become single spaces (RFC 5322, 2.2)."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()


def readable_line(text: str) -> str:
    """Return what a stranger wrote as one line that can be stored; what is no character becomes "?"."""
    return one_line(text.encode("utf-8", "replace").decode("utf-8").replace("\ufffd", "?"))


def wrapped(text: str) -> str:
    """Return the text with long lines wrapped; table rows (two spaces inside) and links stay whole."""
    lines = (_wrapped_line(line) for line in text.strip().splitlines())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


def _wrapped_line(line: str) -> str:
    if line == _FOOTER_LINE:
        return line
    line = line.rstrip()
    words = line.lstrip()
    if len(line) <= LINE_LENGTH or "  " in words or words.startswith(">"):
        return line
    indent = line[: len(line) - len(words)]
    hanging = f"{indent}  " if indent else ""
    fold = textwrap.TextWrapper(LINE_LENGTH, indent, hanging, break_long_words=False, break_on_hyphens=False)
    return fold.fill(words)


def _render(content: Content, part: str, context: Mapping[str, Any]) -> str:
    """Render one of the email's templates; only .html parts are escaped."""
    template: Any = get_template(f"emails/{content.template}/{part}")
    text: str = template.template.render(Context(dict(context), autoescape=part.endswith(".html")))
    return text


def _unsubscribe_url(content: Content, recipient: Recipient) -> str | None:
    reader = recipient.reader or recipient.row
    if content.list_id is None or reader is None:
        return None
    return absolute_url(unsubscribe_path(reader, content.stops or content.list_id))


def _other_languages(content: Content, recipient: Recipient) -> list[tuple[str, str, str]]:
    """Return (code, own name, link) of each language to offer: only an account says which one is read."""
    if content.page_url is None or recipient.reader is not None:
        return []
    page = f"{content.page_url}?{LANGUAGE_IN_LINK}="
    return [(code, name, page + code) for code, name in settings.LANGUAGES if code != recipient.language]


def _headers(content: Content, message_id: str) -> dict[str, str]:
    headers = {
        "Message-ID": message_id,
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "OOF, AutoReply",  # Exchange does not know Auto-Submitted
        "Feedback-ID": f"{content.template.replace('/', '-')}:{FEEDBACK_SENDER}",
    }
    if content.thread is not None:
        root = f"<{one_line(content.thread)}@{site_host()}>"
        headers |= {"References": root, "In-Reply-To": root}
    if content.answers:
        headers["Auto-Submitted"] = "auto-replied"
        headers["In-Reply-To"] = content.answers
        headers["References"] = f"{headers.get('References', '')} {content.answers}".strip()
    if content.reply_to:
        headers["Reply-To"] = content.reply_to
    return headers


def _list_headers(content: Content, recipient: Recipient, unsubscribe_url: str | None) -> dict[str, str]:
    """Return what mail programs need to turn a list off, by a click or by mail."""
    reader = recipient.reader or recipient.row
    if content.list_id is None or unsubscribe_url is None or reader is None:
        return {}
    address = unsubscribe_address(reader, content.stops or content.list_id)
    by_mail = f", <mailto:{address}>" if address else ""
    return {
        "List-Id": _list_header(content.list_id, content.list_name or ""),
        "List-Unsubscribe": f"<{unsubscribe_url}>{by_mail}",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def _list_header(list_id: str, name: str) -> str:
    """Return `"Table 42" <game-42.host>` (RFC 2919); only the name may be an encoded word."""
    phrase = cut(one_line(name), _LONGEST_LIST_NAME)
    identifier = f"<{one_line(list_id)}.{site_host()}>"
    if not phrase:
        return identifier
    if phrase.isascii():
        escaped = phrase.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}" {identifier}'
    return f"{Header(phrase, 'utf-8').encode(linesep='')} {identifier}"


def _attach_images(message: EmailMultiAlternatives, images: tuple[InlineImage, ...]) -> None:
    """Attach inline images, because an email must not fetch anything when opened."""
    if not images:
        return
    message.mixed_subtype = "related"  # type: ignore[attr-defined]  # missing from the stubs
    for image in images:
        part = MIMEImage(image.png, _subtype="png")
        part.add_header("Content-ID", f"<{one_line(image.cid)}>")
        part.add_header("Content-Disposition", "inline", filename=f"{one_line(image.cid)}.png")
        message.attach(part)
