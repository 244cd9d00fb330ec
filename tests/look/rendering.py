"""Render all pages and emails of the tests' world into a file, the same in every run.

A part of `python -m tests.look.compare`, which copies it into each checkout and runs it there with pytest. So
it imports only helpers that each checkout has itself.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings as django_settings
from django.core import mail
from django.db import transaction
from django.test import Client, override_settings
from django.utils import translation

from accounts import clock
from accounts.mail.messages import build_message
from accounts.models import User
from tests.access.rows import read_rows, rows_for
from tests.access.world import addresses
from tests.browser.places import VISITED, Place, places
from tests.browser.test_pages_for_everybody import sights  # noqa: F401  # a fixture
from tests.clocks.passing import MONDAY, Wall
from tests.emails.every_kind import Post, emails_of_every_kind
from tests.look import steady

logging.disable(logging.ERROR)
OUT = Path(os.environ["RENDER_INTO"])
LANGUAGES = [
    code for code, _name in django_settings.LANGUAGES if os.environ["RENDER_LANGUAGES"] in ("all", code)
]
HEADERS = ("Subject", "From", "To", "Reply-To", "List-Id", "List-Unsubscribe", "References", "Auto-Submitted")
LOCMEM = "django.core.mail.backends.locmem.EmailBackend"

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(1800)]


@contextmanager
def _written(name: str) -> Iterator[dict[str, Any]]:
    found: dict[str, Any] = {}
    yield found
    (OUT / name).write_text(json.dumps(found), encoding="utf-8")


@pytest.mark.parametrize("room", VISITED)
def test_pages(sights: Any, settings: Any, room: str) -> None:  # noqa: F811
    """Ask for each page as each visitor."""
    visitor = _Visitor(sights, settings.SESSION_COOKIE_NAME, settings.LANGUAGE_COOKIE_NAME)
    with _written(f"pages about {room}.json") as found:
        for place in [*_looked_at(room), *(_answering() if room == next(iter(VISITED)) else ())]:
            for language in LANGUAGES:
                name = f"page {language} {place}{f', {place.query}' if place.query else ''}"
                if name not in found:
                    found[name] = visitor.answer(place, language, name)


@pytest.fixture(autouse=True)
def _the_clock_stands() -> Iterator[None]:
    steady.begin("the world")
    with time_machine.travel(MONDAY, tick=False):
        yield


def _looked_at(room: str) -> Iterator[Place]:
    """The pages that other tests look at, each for its visitor and for the people of a table."""
    yield from places(room)
    for place in places(room):
        if not place.form and place.about != "-":
            for role in ("anonymous", "stranger", "other", "asked", "host"):
                yield Place(place.name, place.query, place.about, role, 0)


def _answering() -> Iterator[Place]:
    """What else answers a GET, for whom: files too, and the parts of a page that an open page fetches."""
    rows = read_rows()
    for address in addresses():
        for row in rows_for(address.name, "GET", rows):
            if not row.is_room:
                for about, role in product(row.about, row.roles):
                    if "200" in row.allows(role):
                        yield Place(address.name, "", about, role, 0)


class _Visitor:
    """A browser that asks for each page as someone else, and leaves nothing behind."""

    def __init__(self, world: Any, session_cookie: str, language_cookie: str) -> None:
        self.world, self.session_cookie, self.language_cookie = world, session_cookie, language_cookie
        self.clients = {
            checks: Client(enforce_csrf_checks=checks, raise_request_exception=False)
            for checks in (True, False)
        }

    def answer(self, place: Place, language: str, name: str) -> dict[str, Any]:
        steady.begin(f"{place.about} {place.visitor}")
        path, session = self.world.path(place), self.world.session(place.visitor)
        sent = self.world.sent(place)
        client = self.clients["csrfmiddlewaretoken" in sent]
        client.cookies.clear()
        if session:
            client.cookies[self.session_cookie] = session
        client.cookies[self.language_cookie] = language
        steady.begin(name)
        with transaction.atomic():
            User.objects.update(language=language)
            answer = client.post(path, sent) if place.form else client.get(path)
            body = b"".join(answer)
            transaction.set_rollback(True)
        where = answer.headers.get("Location", "")
        return {
            "head": f"status {answer.status_code}{f', to {where}' if where else ''}",
            "type": answer.headers.get("Content-Type", ""),
            "body": body.decode(errors="backslashreplace"),
        }


@pytest.mark.parametrize("language", LANGUAGES)
def test_emails(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cause every kind of email among people who all read this language."""
    steady.begin("emails")
    wall = Wall()
    with override_settings(EMAIL_BACKEND=LOCMEM), clock.use_clock(wall), translation.override(language):
        # Its own tests also follow the links and translate: two thirds of the time.
        monkeypatch.setattr(Post, "_open_links", lambda *_: None)
        monkeypatch.setattr(Post, "build_twice", lambda _post, *about: build_message(*about))
        mail.outbox = []
        post = emails_of_every_kind(wall)
    with _written(f"emails-{language}.json") as found:
        for kind, emails in post.sent.items():
            for number, email in enumerate(emails, 1):
                name = f"email {language} {kind} {number} to {email.to[0]}"
                found |= {f"{name}, {part}": told for part, told in _parts_of(email)}


def _parts_of(email: Any) -> Iterator[tuple[str, dict[str, str]]]:
    message = email.message()
    head = "\n".join(f"{name}: {message[name]}" for name in HEADERS if message[name])
    yield "text", {"head": head, "type": "text/plain", "body": email.body}
    for content, kind in email.alternatives:
        yield "HTML", {"head": "", "type": kind, "body": content}
