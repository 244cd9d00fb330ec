"""Mail scanners open every link of every email, often, some with cookies: nothing may change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import translation

from accounts.models import User
from games import services
from games.chat.services import write
from games.models import Game, Table
from tests.journeys.emails import all_links, html_of
from tests.journeys.playing import SECRETS, Company, delivered, made_table
from tests.journeys.rows import all_rows

pytestmark = pytest.mark.django_db

TOKEN_PAGES = ("/answer/", "/invitation/", "/seat/", "/chat/", "/mail/unsubscribe/")
METHODS = ("get", "head", "options")


class Scanner:
    """Opens each link three times over: as no one, with cookies it got here, and as the email's reader."""

    def __init__(self, signed_in: Any) -> None:
        self.signed_in = signed_in
        self.nobody, self.keeper_of_cookies = Client(), Client()
        self.readers: dict[str, Client] = {}
        self.requests = 0
        self.opened: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.of_a_kind = 1000  # so many emails of each kind are scanned as they arrive
        self.of_a_link = 3  # a link that stands in every email to a reader is opened in so many

    def scan(self, email: EmailMessage) -> None:
        """Fail if a row changes, or if an answer is wrong for a machine that only opens links."""
        links = [link for link in all_links(email) if self._is_worth_a_look(email, link)]
        reader = self._reader(str(email["To"]))  # signed in before, which writes a row
        before = all_rows()
        for link in links:
            assert urlsplit(link).netloc == "testserver", link
        assert "<script" not in html_of(email)
        for link in links:
            self.nobody.cookies.clear()
            for client in (self.nobody, self.keeper_of_cookies):
                self._open(client, link)
        assert all_rows() == before
        for link in links:
            self._open(reader, link)
        assert _but_for_reading(all_rows()) == _but_for_reading(before)

    def _is_worth_a_look(self, email: EmailMessage, link: str) -> bool:
        self.opened[f"{email['To']} {link}"] += 1
        return self.opened[f"{email['To']} {link}"] <= self.of_a_link

    def _reader(self, address: str) -> Client:
        reader = User.objects.filter(email=address).first()
        if reader and address not in self.readers:
            self.readers[address] = self.signed_in(reader)
        return self.readers.get(address, self.keeper_of_cookies)

    def _open(self, client: Client, link: str) -> None:
        path = link.removeprefix("http://testserver")
        answers = {method: getattr(client, method)(path) for method in METHODS}
        self.requests += len(answers)
        got, head, options = (answers[method] for method in METHODS)
        assert got.status_code in (200, 302, 409), (link, got.status_code)
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert options.status_code in (200, 302, 405), (link, options.status_code)
        if got.status_code == 302:
            assert got["Location"].startswith(("/accounts/", "/me/", "/")), got["Location"]
            assert not got["Location"].startswith("//")
        if path.startswith(TOKEN_PAGES) and got.status_code == 302:  # a guest's link, in a language
            assert got["Location"] == urlsplit(path).path != path
            self._open(client, got["Location"])
        elif path.startswith(TOKEN_PAGES):
            assert got.status_code in (200, 409)
            for answer in (got, head):
                stays_private(answer)
            nothing_is_loaded_from_elsewhere(got)


def _but_for_reading(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return the rows without read markers, which reading itself moves."""
    return {
        table: found
        for table, found in rows.items()
        if table not in ("games_readmarker", "chat_channelreadmarker")
    }


def stays_private(answer: HttpResponse) -> None:
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "same-origin"
    assert "noindex" in answer["X-Robots-Tag"]


def nothing_is_loaded_from_elsewhere(answer: HttpResponse) -> None:
    page = answer.content.decode()
    assert "default-src 'self'" in answer["Content-Security-Policy"]
    for other in ("http://", "https://", 'src="//', 'href="//'):
        for found in page.split(other)[1:]:
            assert found.startswith(("testserver", "www.w3.org/")), found[:80]


@pytest.fixture
def scanner(signed_in: Any) -> Iterator[Scanner]:
    yield Scanner(signed_in)
    translation.deactivate()  # a request leaves its language to its thread, which is that of the next test


def kinds_of(emails: list[EmailMessage]) -> set[str]:
    """Return what an email is about, by the words of its subject."""
    return {re.split("[:,]", str(email["Subject"]))[0] for email in emails}


@pytest.mark.long
def test_scanning_every_link_of_a_whole_game_changes_no_row(scanner: Scanner, anna: Any) -> None:
    scanner.of_a_kind, scanner.of_a_link = 20, 2
    table = services.make_table(
        anna,
        name="The long road",
        size=3,
        entry="invitation",
        invited=["bruno@example.org", "carla@example.org"],
    )
    Table.objects.update(secret=SECRETS[3])
    emails = scanned(scanner)
    assert kinds_of(emails) == {"Anna invites you to play"}
    take_seats_by_link(emails)
    emails += scanned(scanner)
    for seat in table.seats.all():
        services.confirm(seat)
    emails += scanned(scanner)
    roster = Company(Game.objects.get())
    while decisions := roster.open_decisions():
        roster.answer(decisions[0])
        emails += scanned(scanner)
    assert kinds_of(emails) >= {
        "Please confirm",
        "Game started",
        "Your turn",
        "Game over",
    }
    for kind in kinds_of(emails):
        scanner.scan(next(email for email in emails if kind in str(email["Subject"])))
    assert scanner.requests > 1000, scanner.requests


def scanned(scanner: Scanner) -> list[EmailMessage]:
    """Send the emails that are due, scanned on arrival; return them. None of their decisions is made yet."""
    emails = delivered()
    for email in emails:
        kind = kinds_of([email]).pop()
        scanner.kinds[kind] += 1
        if scanner.kinds[kind] <= scanner.of_a_kind:
            scanner.scan(email)
    return emails


def take_seats_by_link(emails: list[EmailMessage]) -> None:
    for email, name in zip(emails, ("Bruno", "Carla"), strict=True):
        link = next(link for link in all_links(email) if "/invitation/" in link)
        answer = Client().post(link.removeprefix("http://testserver"), {"action": "accept", "name": name})
        assert answer.status_code == 302


def test_scanning_emails_about_an_account_changes_no_row(scanner: Scanner, anna: Any) -> None:
    for address in ("anna@example.org", "nobody@example.org"):
        Client().post("/accounts/login/", {"login": address})
    Client().post("/accounts/signup/", {"email": "anna@example.org"})
    Client().post("/accounts/signup/", {"email": "new@example.org"})
    subjects = {
        re.sub(r"[A-Z0-9]{4}-[A-Z0-9]{4}", "CODE", str(email["Subject"])) for email in scanned(scanner)
    }
    assert subjects == {
        "Your sign-in code for Condottiere by email",
        "Your confirmation code for Condottiere by email",
        "You already have an account",
    }


@pytest.mark.long
def test_scanning_the_emails_around_a_table_that_does_not_play_changes_no_row(
    scanner: Scanner, anna: Any, bruno: Any, carla: Any, dario: Any
) -> None:
    table = services.make_table(
        anna, name="Nobody comes", size=4, entry="link", invited=["elena@example.org", "fabio@example.org"]
    )
    invited = scanned(scanner)
    services.decline(table.invitations.get(email="elena@example.org"))
    seats = [services.take_seat(table, person) for person in (bruno, carla, dario)]
    services.leave(seats[0])
    services.remove(seats[1])
    emails = scanned(scanner)
    services.cancel(table)
    emails += scanned(scanner)
    assert {email["To"] for email in emails} == {
        f"{name}@example.org" for name in ("anna", "carla", "dario", "fabio")
    }
    for email in invited:
        scanner.scan(email)


@pytest.mark.long
def test_scanning_emails_about_messages_changes_no_row(
    scanner: Scanner, anna: Any, bruno: Any, carla: Any, settings: Any
) -> None:
    settings.CHAT_HOLD = timedelta(0)
    table = made_table([anna, bruno, carla])
    delivered()
    for seat in table.seats.select_related("user"):
        write(seat, "See http://testserver/tables/ and **speak up**.")
    emails = scanned(scanner)
    assert {email["To"] for email in emails} == {f"{name}@example.org" for name in ("anna", "bruno", "carla")}
    assert all(kind.startswith(("Chat (", "New messages")) for kind in kinds_of(emails)), kinds_of(emails)
    services.cancel(table)
    for email in emails:
        scanner.scan(email)


def test_a_link_that_was_tampered_with_opens_nothing_and_changes_nothing(
    anna: Any, bruno: Any, carla: Any
) -> None:
    services.make_table(anna, name="Closed", size=2, entry="invitation", invited=["bruno@example.org"])
    emails = delivered()
    before = all_rows()
    for link in all_links(emails[0]):
        path = urlsplit(link).path
        if not path.startswith(TOKEN_PAGES):
            continue
        purpose, token = path.strip("/").rsplit("/", 1)
        for wrong in (
            token[:-1] + ("A" if token[-1] != "A" else "B"),
            token[:-3],
            "x" + token,
            token.upper(),
        ):
            for method in (*METHODS, "post"):
                answer = getattr(Client(), method)(f"/{purpose}/{wrong}/")
                assert answer.status_code in ((404, 405) if method == "options" else (404,)), (path, method)
    assert all_rows() == before
