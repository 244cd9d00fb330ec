"""Recognise words of emails that were sent: keyed hashes are kept, and compared with what someone writes.

Only letters and digits count. Mail programs change the rest when they quote: marks, lines, spaces, links.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from html import unescape
from itertools import chain

import nh3
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.utils.crypto import salted_hmac

from accounts.mail.email_content import Content
from accounts.mail.models import SentWords
from accounts.mail.receiving import INBOXES
from accounts.models import User
from accounts.normal_forms import normalized
from accounts.own_name import site_names
from accounts.row_locks import delete_free

SHORTEST = 12  # letters of a piece that can be recognised
_MOST = 50_000  # letters of an email that are kept
_BEGINNING = "^"  # no letter, so that no text holds it
_CHANCE = 2  # letters before or after a name that may be alike by chance
_BYTES = 4  # of a hash: one alone may be known by chance, a row of them is not

_LINK = re.compile(r'<a [^>]*?href="([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)
_ALT = re.compile(r'<img [^>]*?alt="([^"]*)"[^>]*>')
_UNSHOWN = re.compile("\ue000[^\ue001]*\ue001")  # between two private characters, which are no letters

Span = tuple[int, int]
Known = Callable[[set[bytes]], tuple[set[bytes], set[bytes]]]  # those of emails; those of common words
Find = Callable[[Sequence[str]], list[list[Span]]]  # where each of these letters repeat emails


def letters(text: str) -> str:
    """Return the letters and digits of a text as they are compared: in lower case, without accents."""
    return "".join(filter(str.isalnum, normalized("NFKD", text.casefold())))


def without_links(text: str) -> str:
    """Return a text without links, which only some programs show."""
    return " ".join(map(_without_link, text.split()))


def _without_link(word: str) -> str:
    """Return the text around a link in one word: some programs put the link in brackets behind its text."""
    if "://" not in word:
        return word
    before, _, after = word.partition("://")
    opened = max(before.rfind(mark) for mark in "<([")
    closed = max(after.rfind(mark) for mark in ">)]")
    return before[: max(opened, 0)] + (after[closed:] if closed >= 0 else "")


def remember(reader: User, content: Content, message: EmailMultiAlternatives) -> None:
    """Keep the hashes of an email that is about to be sent, if its kind asks for it and replies are read."""
    if not content.remembered or not settings.REPLY_ADDRESS:
        return
    body = str(message.body)
    texts = (body, without_links(f"{message.subject}\n{body}"), *_html_as_text(message))
    said = [letters(text)[:_MOST] for text in (*texts, without_links(body))]
    pieces = {piece for text in said for piece in (*_pieces(text), beginning(text))}
    common_words = (*content.common_words, *site_names())
    common = {piece for text in common_words for piece in _pieces(letters(text))}
    hashed = hashes(reader.pk, pieces)
    SentWords.objects.create(
        to_user=reader,
        thread=content.thread or "",
        hashes=b"".join(sorted(hashed[piece] for piece in pieces - common)),
        common_hashes=b"".join(sorted(hashed[piece] for piece in pieces & common)),
    )


def _pieces(text: str) -> list[str]:
    return [text[at : at + SHORTEST] for at in range(len(text) - SHORTEST + 1)]


def beginning(text: str) -> str:
    """Return the piece by which letters are known as the beginning of an email."""
    return _BEGINNING + text[: SHORTEST - 1]


def _html_as_text(message: EmailMultiAlternatives) -> list[str]:
    """Return the words of the message's HTML with its links and what its pictures show, and without."""
    pages = [str(body) for body, kind in message.alternatives if kind == "text/html"]
    spoken = [_ALT.sub(" \ue000\\1\ue001 ", _LINK.sub("\\2 \ue000\\1\ue001 ", page)) for page in pages]
    unread = {"style", "script", "title"}
    clean = [unescape(nh3.clean(page, tags=set(), clean_content_tags=unread)) for page in spoken]
    return [*clean, *(_UNSHOWN.sub(" ", text) for text in clean)]


def hashes(reader: int, pieces: Iterable[str]) -> dict[str, bytes]:
    """Return the keyed hash of each of these pieces of letters. Each reader has their own key.

    With one key for all, people could look for the words of their own emails among those of others.
    """
    key = salted_hmac("accounts.mail.sent_words", str(reader), algorithm="sha256").digest()
    keyed, hashed = hashlib.blake2b(digest_size=_BYTES, key=key), dict[str, bytes]()
    for piece in pieces:
        own = keyed.copy()  # so the key is taken in once
        own.update(piece.encode())
        hashed[piece] = own.digest()
    return hashed


def finder(reader: User, threads: Collection[str]) -> Find:
    """Return a function that finds words of the emails to this reader in these threads."""

    def known(wanted: set[bytes]) -> tuple[set[bytes], set[bytes]]:
        rows = SentWords.objects.filter(to_user=reader, thread__in=threads)
        found, common = set[bytes](), set[bytes]()
        for hashed, hashed_common in rows.values_list("hashes", "common_hashes").iterator(chunk_size=100):
            found.update(wanted.intersection(_split(hashed)))
            common.update(wanted.intersection(_split(hashed_common)))
        return found, common - found

    return lambda texts: spans_of(reader.pk, texts, known)


def _split(hashed: bytes | memoryview) -> Iterator[bytes]:
    return chain.from_iterable(struct.iter_unpack(f"{_BYTES}s", hashed))


def spans_of(reader: int, texts: Sequence[str], known: Known) -> list[list[Span]]:
    """Return where these letters repeat emails, as the longest spans; not where only common words do."""
    pieces = [_pieces(text) for text in texts]
    hashed = hashes(reader, set(chain.from_iterable(pieces)))
    found, common = known(set(hashed.values())) if hashed else (set[bytes](), set[bytes]())
    return [list(_spans([hashed[piece] for piece in row], found, common)) for row in pieces]


def _spans(pieces: Sequence[bytes], found: Container[bytes], common: Container[bytes]) -> Iterator[Span]:
    begun, own = -1, 0
    for at, piece in enumerate([*pieces, b""]):
        if piece in found or piece in common:
            begun = at if begun < 0 else begun
            own += piece not in common
        elif begun >= 0:
            if own > _CHANCE or own == at - begun:
                yield begun, at - 1 + SHORTEST
            begun, own = -1, 0


def delete_outdated(now: datetime) -> int:
    """Delete what no reply can quote any more, because every address for replies has expired."""
    return delete_free(SentWords.objects.filter(sent_at__lt=now - lasts()))[0]


def lasts() -> timedelta:
    """Return how long the words of an email are kept: as long as an address that it names takes mail."""
    return max((one.max_age for one in INBOXES.values() if one.max_age), default=timedelta())
