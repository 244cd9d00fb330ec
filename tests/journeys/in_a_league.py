"""People of a league, who act by pages and by the links of their emails alone, and what makes time pass
for them."""

from __future__ import annotations

import re
from datetime import datetime
from html import unescape
from typing import Any
from urllib.parse import urlsplit

from django.core import mail
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.services.league_tick import run_seasons
from tests.clocks.passing import Wall
from tests.journeys.visiting import Form, Page, page_in, page_of
from tests.people import client_of

HOST = "http://testserver"


class Person:
    """A person with a browser, who may be signed in there."""

    def __init__(self, user: User | None = None) -> None:
        self.client = client_of(user) if user else Client()
        self.name = user.name if user else ""

    def open(self, address: str) -> Page:
        return page_of(self.client, _path_of(address))

    def follow(self, page: Page, address: str) -> Page:
        """Return a link on the page, by the end of its address."""
        found = {_path_of(link) for link in page.links if _path_of(link).endswith(address)}
        assert len(found) == 1, f"{sorted(found)} end with {address!r}; {page.links}"
        return self.open(found.pop())

    def send(self, page: Page, sends: str, status: int = 200, **typed: Any) -> Page:
        """Send the form whose address ends this way, or with such a field or button; return the next page."""
        form: Form = page.form(sends)
        sent: dict[str, Any] = {**form.fields, **typed}
        answer = self.client.post(_path_of(form.action), sent, follow=True)
        assert answer.status_code == status, answer.content.decode()
        came = page_in(answer)
        came.words = words_of(came.html)
        return came


def words_of(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"</?time[^>]*>", "", html))).split())


def _path_of(address: str) -> str:
    return urlsplit(address).path


class Town:
    """A clock and a mail server for a league."""

    def __init__(self, wall: Wall) -> None:
        self.wall = wall

    def pass_to(self, moment: datetime) -> dict[str, list[Any]]:
        self.wall.now = max(self.wall.now, moment)
        return self.tick()

    def tick(self) -> dict[str, list[Any]]:
        """Do what the site does automatically at this moment; return the league's emails by name of kind."""
        mail.outbox.clear()
        run_seasons(self.wall.now)
        while deliver_due(self.wall.now):
            pass
        return self._sorted(mail.outbox)

    def post(self) -> dict[str, list[Any]]:
        """Return only the emails written since."""
        mail.outbox.clear()
        while deliver_due(self.wall.now):
            pass
        return self._sorted(mail.outbox)

    @staticmethod
    def _sorted(emails: list[Any]) -> dict[str, list[Any]]:
        kinds = dict(OutgoingEmail.objects.values_list("message_id", "kind"))
        found: dict[str, list[Any]] = {}
        for email in emails:
            found.setdefault(kinds[email.extra_headers["Message-ID"]], []).append(email)
        return {kind: those for kind, those in found.items() if kind.startswith("league_")}


def readers(emails: list[Any]) -> list[str]:
    """Return the names of the recipients, which their addresses begin with."""
    return sorted(email.to[0].split("@")[0] for email in emails)


def to(emails: list[Any], name: str) -> Any:
    """Return the one email to this person."""
    found = [email for email in emails if email.to[0] == address_of(name)]
    assert len(found) == 1, (name, readers(emails))
    return found[0]


def address_of(name: str) -> str:
    return f"{name.lower()}@example.org"


def link_in(email: Any, words: str) -> str:
    """Return the first address below these words."""
    assert words in email.body, email.body
    found = re.search(rf"{HOST}(\S+)", email.body[email.body.index(words) :])
    assert found, email.body
    return found[1]


def flat(email: Any) -> str:
    return " ".join(email.body.split())
