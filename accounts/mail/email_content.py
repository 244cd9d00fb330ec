"""The content of one email, before it becomes a message."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from accounts.mail.models import OutgoingEmail
from accounts.reader_links import own_page_url


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
