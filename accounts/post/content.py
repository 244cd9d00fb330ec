"""What a builder hands to delivery: a letter's content as values, before anything is rendered."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from accounts.addresses import own_page_url
from accounts.post.models import Letter


@dataclass(frozen=True)
class InlineImage:
    """A picture inside a letter, shown by `<img src="cid:...">` with the same cid."""

    cid: str
    png: bytes


@dataclass(frozen=True)
class Content:
    """One letter to write: a folder under templates/mail/ and what its templates are given.

    `thread` ("game-42") ties letters together in mail programs; `list_id` ("game-42") is what its reader can
    turn off, `list_name` how people call it; without a list_id the letter cannot be turned off. `stops` names
    what its unsubscribe link turns off where that is less, or more, than the list.
    """

    template: str
    context: Mapping[str, Any] = field(default_factory=dict)
    thread: str | None = None
    list_id: str | None = None
    list_name: str | None = None
    images: tuple[InlineImage, ...] = ()
    stops: str | None = None


def own_page(letter: Letter, name: str, *where: int | str) -> str:
    """A link to a page for which the email's reader signs in, by the page's name and what it is about."""
    address = letter.to_user.email if letter.to_user is not None else letter.to_address
    return own_page_url(address, reverse(name, args=where))
