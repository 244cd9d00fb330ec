"""Build email messages: kinds, content, templates, headers and the signed return path."""

import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.header import Header
from email.mime.image import MIMEImage
from typing import Any

import css_inline
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.template import Context
from django.template.loader import get_template
from django.urls import reverse
from django.utils.functional import Promise

from accounts.addresses import absolute_url, site_host
from accounts.characters import count, cut, shortened
from accounts.mail.models import LONGEST_SUBJECT, OutgoingEmail
from accounts.mail.own_addresses import tagged
from accounts.mail.suppression import unsubscribe_path
from accounts.mail.unsubscribing import unsubscribe_address
from accounts.models import LANGUAGE_IN_LINK, User
from accounts.tokens import own_page_url

# Gmail reports complaints by kind of email and this sender, to operators who sign Feedback-ID with DKIM.
FEEDBACK_SENDER = "condottiere"
_SHORTEST_NAME = 8
_OPENING, _CLOSING = "\x02", "\x03"  # control characters, which one_line removes from what people typed
_MARKED = re.compile(f"{_OPENING}([^{_OPENING}{_CLOSING}]*){_CLOSING}")


@dataclass(frozen=True)
class InlineImage:
    """An image inside an email, shown by `<img src="cid:...">` with the same cid."""

    cid: str
    png: bytes


@dataclass(frozen=True)
class Content:
    """Content of one email: a folder under templates/emails/ and the context for its templates.

    `thread` ("game-42") groups emails in mail programs. `list_id` ("game-42") is what the reader can
    turn off, and `list_name` is its display name. Without a list_id the email cannot be turned off.
    `stops` names what the unsubscribe link turns off, if that is less or more than the list. `page_url` is
    the page on which a person without an account answers. The email's foot offers it in other languages.
    `reply_to` is where replies go, if the site reads them. `answers` is the Message-ID of the mail that this
    email answers. `remembered` lets replies that quote it be recognised. `common_words` are those in it that
    its reader may write as well, such as names.
    """

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    thread: str | None = None
    list_id: str | None = None
    list_name: str | None = None
    images: tuple[InlineImage, ...] = ()
    stops: str | None = None
    page_url: str | None = None
    reply_to: str = ""
    answers: str = ""
    remembered: bool = False
    common_words: tuple[str, ...] = ()


def own_page(email: OutgoingEmail, name: str, *where: int | str) -> str:
    """Return a sign-in link for the email's reader to the named page with these arguments."""
    return own_page_url(email.to_user or email, reverse(name, args=where))


# Kinds of email: each is registered at the function that builds it, in the `emails` module of its app


Builder = Callable[[OutgoingEmail], Content | None]
OutcomeHandler = Callable[[OutgoingEmail, datetime], None]


@dataclass(frozen=True)
class EmailKind:
    """What the site knows about one kind of email.

    `name` stands in the reader's list of emails. `build` returns the content, or None if there is no longer
    a reason to send it. `on_outcome` is called with (email, now) once the email is sent, failed or bounced.
    With `asks`, someone waits for the reader's answer: it's still sent after the site was restored from a
    backup, though it may have been sent before.
    """

    name: Promise
    build: Builder
    on_outcome: OutcomeHandler | None = None
    asks: bool = False


EMAIL_KINDS: dict[str, EmailKind] = {}


def email_kind(
    kind: str, *, name: Promise, on_outcome: OutcomeHandler | None = None, asks: bool = False
) -> Callable[[Builder], Builder]:
    """Register the decorated function as the builder of this kind of email.

    `name` must be lazy, because modules are imported before a reader's language is known.
    """

    def register(build: Builder) -> Builder:
        if kind in EMAIL_KINDS:
            raise ImproperlyConfigured(f"The email kind {kind!r} is registered twice. Rename one of them.")
        EMAIL_KINDS[kind] = EmailKind(name, build, on_outcome, asks)
        return build

    return register


# Return paths: one signed envelope sender per email (RFC 5321, 4.4), so that a bounce identifies its email


BOUNCES = "bounces"  # what their addresses are signed for


def with_return_path(message: EmailMessage, email: int) -> EmailMessage:
    """Set the message's own return path if BOUNCE_ADDRESS is configured."""
    if settings.BOUNCE_ADDRESS:
        message.extra_headers.setdefault("From", message.from_email)
        message.from_email = return_path(email)
    return message


def return_path(email: int) -> str:
    """Return the email's return path, such as bounces+<email>-<signature>@example.org."""
    return tagged(settings.BOUNCE_ADDRESS, BOUNCES, email)


# Building messages: nothing here may open a connection or change a row


LINE_LENGTH = 72  # so that a quoted reply does not break lines
_FOOTER_LINE = "-- "  # mail programs recognize it by the trailing space (RFC 3676, 4.3)
_LONGEST_HEADER_LINE = 990
_LONGEST_LIST_NAME = 60

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
        "site_name": settings.SITE_NAME,
        "site_url": settings.SITE_URL,
        "list_name": content.list_name,
        "unsubscribe_url": unsubscribe_url,
        "stops": (content.stops or content.list_id or "").partition("-")[0],
        "languages": _other_languages(content, recipient),
        "reply_to": content.reply_to,
    }
    message = UnfoldedHeaders(
        subject=one_line(fit_subject(_render(content, "subject.txt", context))),
        body=wrapped(_render(content, "body.txt", context)),
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[recipient.address],
        headers=_headers(content, message_id) | _list_headers(content, recipient, unsubscribe_url),
    )
    message.attach_alternative(_inliner.inline(_render(content, "body.html", context)), "text/html")
    _attach_images(message, content.images)
    return message


def one_line(text: str) -> str:
    """Return header text: line breaks and control characters become single spaces (RFC 5322, 2.2)."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text).strip()


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


# Subjects that fit a phone: names in them are marked, and shortened until the whole is short enough.


def name_in_subject(name: object) -> str:
    """Return the name of a person, table or league with marks, for `fit_subject` to shorten it."""
    return f"{_OPENING}{str(name).translate({2: None, 3: None})}{_CLOSING}"


def fit_subject(subject: str) -> str:
    """Return the subject without marks, in at most 55 characters: the longest names are shortened first."""
    names = [found.strip() for found in _MARKED.findall(subject)]
    most = max(map(count, names), default=0)
    text = _with_names(subject, most)
    while count(text) > LONGEST_SUBJECT and most > _SHORTEST_NAME:
        most -= 1
        text = _with_names(subject, most)
    return shortened(text, LONGEST_SUBJECT)


def _with_names(subject: str, most: int) -> str:
    return _MARKED.sub(lambda found: shortened(found[1].strip(), most), subject)
