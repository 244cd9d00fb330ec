"""Search in the chats of one's own tables, limited to what one may read now. Reads only."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db.models import Exists, OuterRef, Prefetch, QuerySet
from django.utils.html import escape
from django.utils.safestring import SafeString

from accounts.characters import cut
from accounts.models import User
from games.chat.access import Reader, reader_at
from games.chat.channel_text import channel_title
from games.chat.links import channel_path
from games.chat.models import Channel, Message, Mute
from games.chat.text_cleaning import cleaned
from games.models import Seat

LONGEST_SEARCH = 200
MOST_WORDS = 10
MOST_SEEN = 10_000  # the newest; older matches are found by paging
ON_A_PAGE = 20
MOST_PAGES = 50

_BEFORE, _WINDOW = 60, 240  # characters of a message around a match
_AFTER = 6  # messages shown after the match
_TAG = re.compile(r"<[^>]*>")
_ASCII = re.compile(r"[!-~]+")


@dataclass(frozen=True)
class Hit:
    """One matching message, with the words in context."""

    table: str
    channel: str
    name: str
    is_mine: bool
    written_at: datetime
    place: str  # its address
    excerpt: SafeString


@dataclass(frozen=True)
class Found:
    """One page of results."""

    hits: tuple[Hit, ...]
    page: int
    has_older: bool


def words_of(typed: str) -> tuple[str, ...]:
    """Return the words to look for, as typed, without repeats."""
    words = {word.casefold(): word for word in cleaned(typed).split()}
    return tuple(words.values())[:MOST_WORDS]


def search(user: User, words: tuple[str, ...], page: int = 1) -> Found:
    """Return the messages that contain all these words, ignoring case, newest first.

    People find only what they may read at this moment. Search doesn't even reveal that there is a match in a
    sealed note, another channel or a muted person's messages.
    """
    page = max(1, min(page, MOST_PAGES))
    matching = _matching(_readable(user), words)
    found = list(islice(matching, (page - 1) * ON_A_PAGE, page * ON_A_PAGE + 1))
    hits = _hits(found[:ON_A_PAGE], user, words)
    return Found(hits, page, len(found) > ON_A_PAGE and page < MOST_PAGES)


def _readable(user: User) -> QuerySet[Message]:
    muted = Mute.objects.filter(by=user, table=OuterRef("channel__table"), whom=OuterRef("author"))
    channels = Channel.objects.readable_by(user).filter(
        table__in=Seat.objects.filter(user=user).values("table")
    )
    messages = Message.objects.filter(channel__in=channels).exclude(html="")
    return messages.exclude(Exists(muted)).order_by("-written_at", "-pk")


def _matching(messages: QuerySet[Message], words: tuple[str, ...]) -> Iterator[int]:
    """Yield the numbers of the rows with all words.

    Databases ignore case only for some letters. So they preselect by those, and the results are checked again
    here.
    """
    for word in words:
        known = max(_ASCII.findall(word), key=len, default="")
        messages = messages.filter(text__icontains=known) if known else messages
    folded = [word.casefold() for word in words]
    for pk, body in messages.values_list("pk", "html")[:MOST_SEEN].iterator(chunk_size=500):
        text = _plain(body).casefold()
        if all(word in text for word in folded):
            yield pk


def _hits(rows: list[int], user: User, words: tuple[str, ...]) -> tuple[Hit, ...]:
    seats = Prefetch("channel__table__seats", Seat.objects.select_related("user").order_by("number"))
    messages = Message.objects.filter(pk__in=rows).select_related("channel__table")
    found = {message.pk: message for message in messages.prefetch_related(seats, "channel__members")}
    readers: dict[int, Reader] = {}
    for message in found.values():
        table = message.channel.table
        readers.setdefault(table.pk, reader_at(table, user))
    return tuple(_hit(found[pk], readers[found[pk].channel.table_id], words) for pk in rows if pk in found)


def _hit(message: Message, reader: Reader, words: tuple[str, ...]) -> Hit:
    channel = message.channel
    return Hit(
        reader.table.name,
        channel_title(channel, reader),
        reader.name_of(message.author_id),
        reader.user_id is not None and message.author_id == reader.user_id,
        message.written_at,
        f"{channel_path(channel)}?before={message.number + _AFTER}#message-{message.number}",
        excerpt(_plain(message.html), words),
    )


def _plain(body: str) -> str:
    """Return the text of a message's stored HTML, on one line."""
    return " ".join(html.unescape(_TAG.sub("", body)).split())


def excerpt(text: str, words: Iterable[str]) -> SafeString:
    """Return the part of a text around the first match, with all matches marked."""
    pattern = re.compile("|".join(map(re.escape, sorted(words, key=len, reverse=True))), re.IGNORECASE)
    first = pattern.search(text)
    begun = first.start() - _BEFORE if first else 0
    start = len(cut(text, begun, code_points=begun)) if begun > 0 else 0
    shown, pieces, end = cut(text[start:], _WINDOW), ["…" if start else ""], 0
    for found in pattern.finditer(shown):
        pieces += [escape(shown[end : found.start()]), f"<mark>{escape(found[0])}</mark>"]
        end = found.end()
    pieces += [escape(shown[end:]), "…" if start + len(shown) < len(text) else ""]
    return SafeString("".join(pieces))
