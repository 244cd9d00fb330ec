"""Turning emails off and on by the link in an email: opening changes nothing, the button does."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from django.test import Client

from accounts.mail.delivery import deliver_due
from accounts.mail.list_names import LIST_NAMES
from accounts.mail.models import OutgoingEmail, Unsubscription
from accounts.mail.own_addresses import NotOurs
from accounts.mail.receiving import receive
from accounts.mail.unsubscribe_links import unsubscribe_path
from accounts.mail.unsubscribing import unsubscribe_address
from accounts.models import User
from tests.people import proven

pytestmark = pytest.mark.django_db

ONE_CLICK = {"List-Unsubscribe": "One-Click"}


@pytest.fixture(autouse=True)
def tables_without_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIST_NAMES, "game", lambda number: f"Table {number}")


@pytest.fixture
def link(greet: Any, smtp_sink: Any) -> str:
    """Return the path of the link in an email of Table 42 to Anna."""
    greet(list_id="game-42", list_name="Table 42")
    deliver_due()
    return urlsplit(smtp_sink.messages[-1]["List-Unsubscribe"].partition(">")[0].strip("<")).path


def test_opening_the_link_changes_nothing(link: str) -> None:
    client = Client(enforce_csrf_checks=True)
    for method in (client.get, client.head, client.options):
        for _ in range(3):
            method(link)
    assert Unsubscription.objects.count() == 0
    page = client.get(link)
    assert "Turn these emails off?" in page.content.decode()
    assert "Table 42" in page.content.decode()


def test_a_mail_program_turns_them_off_with_one_request_without_cookies(
    link: str, greet: Any, smtp_sink: Any
) -> None:
    answer = Client(enforce_csrf_checks=True).post(link, ONE_CLICK)
    assert answer.status_code == 200
    silent, other_list = greet(list_id="game-42"), greet(list_id="game-43")
    other_person, no_list = greet("bruno@example.org", list_id="game-42"), greet()
    assert deliver_due() == 3
    states = [
        OutgoingEmail.objects.get(pk=email.pk).state for email in (silent, other_list, other_person, no_list)
    ]
    assert states == ["unsubscribed", "sent", "sent", "sent"]


@pytest.mark.parametrize(
    ("list_id", "before", "after"),
    [
        ("game-42", "They tell you that the game started", "we don’t tell you that the game started"),
        ("table-42", "They tell you that the table is full", "we don’t tell you that the table is full"),
        ("chat-42", "They tell you what the others write", "we don’t tell you what the others write"),
        ("moves-42", "They tell you about the other players", "we don’t tell you about the other players"),
        ("other", "", ""),
    ],
)
def test_the_page_says_what_the_emails_of_this_list_are_about(list_id: str, before: str, after: str) -> None:
    path = unsubscribe_path(proven("anna@example.org"), list_id)
    pages = [Client().get(path).content.decode(), Client().post(path, ONE_CLICK).content.decode()]
    for page, said in zip(pages, (before, after), strict=True):
        assert said in page
    assert "Emails about your turns still come." in pages[1] or list_id != "chat-42"


def test_pressing_twice_is_pressing_once(link: str) -> None:
    for _ in range(2):
        page = Client().post(link, ONE_CLICK).content.decode()
        assert "These emails are turned off" in page
    assert Unsubscription.objects.get().list_name == "Table 42"


def test_the_same_page_turns_them_on_again(link: str, greet: Any) -> None:
    client = Client(enforce_csrf_checks=True)
    client.post(link, ONE_CLICK)
    assert "Turn them on again" in client.get(link).content.decode()
    assert "turned on again" in client.post(link, {"again": "1"}).content.decode()
    assert "Turn these emails off?" in client.get(link).content.decode()
    greet(list_id="game-42")
    assert deliver_due() == 1


def test_every_wrong_link_gets_the_same_answer_and_changes_nothing(link: str) -> None:
    token = link.split("/")[-2]
    pages = set()
    other = "B" if token[-1] == "A" else "A"
    for wrong in (token[:-1], token[:-1] + other, "x", token.replace(".", ":"), "a" * 3000):
        for method in ("get", "post"):
            answer = getattr(Client(), method)(f"/mail/unsubscribe/{wrong}/")
            assert answer.status_code == 404
            pages.add(answer.content)
    assert len(pages) == 1
    assert Unsubscription.objects.count() == 0


def test_the_page_is_kept_by_no_one_and_tells_no_other_site_where_it_was(link: str) -> None:
    answer = Client().get(link)
    assert "no-store" in answer["Cache-Control"]
    assert answer["Referrer-Policy"] == "same-origin"
    assert answer["X-Robots-Tag"] == "noindex"


def test_a_link_of_an_account_with_another_address_changes_nothing() -> None:
    anna = proven("anna@example.org")
    path = unsubscribe_path(anna, "game-42")
    User.objects.filter(pk=anna.pk).update(email="anna@mail.example.net")
    for answer in (Client().get(path), Client().post(path, ONE_CLICK)):
        assert answer.status_code == 200
        assert "anna@mail.example.net" not in answer.content.decode()
    assert Unsubscription.objects.count() == 0


@pytest.fixture
def address(greet: Any, smtp_sink: Any, settings: Any) -> str:
    """Return the address for unsubscribing in an email of Table 42 to Anna."""
    settings.REPLY_ADDRESS = "reply@testserver"
    greet(list_id="game-42", list_name="Table 42")
    deliver_due()
    link, by_mail = smtp_sink.messages[-1]["List-Unsubscribe"].split(", ")
    assert link.startswith("<http://testserver/mail/unsubscribe/")
    return str(by_mail).removeprefix("<mailto:").removesuffix(">")


MESSAGE = b"From: anna@example.org\r\nSubject: unsubscribe\r\n\r\n"


@pytest.mark.parametrize("sender", ["anna@example.org", "", None])
def test_a_message_turns_them_off_as_the_link_does(address: str, greet: Any, sender: str | None) -> None:
    for _ in range(2):
        receive(address, MESSAGE, sender)
    assert [(one.address, one.list_id) for one in Unsubscription.objects.all()] == [
        ("anna@example.org", "game-42")
    ]
    silent, other_list = greet(list_id="game-42"), greet(list_id="game-43")
    deliver_due()
    assert [OutgoingEmail.objects.get(pk=one.pk).state for one in (silent, other_list)] == [
        "unsubscribed",
        "sent",
    ]


def test_a_report_turns_nothing_off(address: str) -> None:
    receive(address, b"Content-Type: multipart/report; boundary=x\r\n\r\n--x\r\n\r\nfailed\r\n--x--")
    assert Unsubscription.objects.count() == 0


def test_an_address_that_was_changed_turns_nothing_off(address: str) -> None:
    name, _at, domain = address.partition("@")
    for forged in (f"{name[:-1]}{'a' if name[-1] != 'a' else 'b'}@{domain}", address.replace("-", "-1", 1)):
        with pytest.raises(NotOurs):
            receive(forged, MESSAGE)
    assert Unsubscription.objects.count() == 0


def test_the_address_ends_with_its_readers_address(settings: Any) -> None:
    settings.REPLY_ADDRESS = "reply@testserver"
    anna = proven("anna@example.org", "Anna")
    address = unsubscribe_address(anna, "game-42")
    User.objects.filter(pk=anna.pk).update(email="anna@example.net")
    receive(address, MESSAGE)
    assert Unsubscription.objects.count() == 0


@pytest.mark.parametrize(
    ("reply_address", "bounce_address", "mailbox"),
    [
        ("reply@testserver", "bounces@testserver", "reply+"),
        ("", "bounces@testserver", "bounces+"),
        ("", "", ""),
    ],
)
def test_there_is_an_address_where_mail_comes_to_the_site(
    settings: Any, reply_address: str, bounce_address: str, mailbox: str
) -> None:
    settings.REPLY_ADDRESS, settings.BOUNCE_ADDRESS = reply_address, bounce_address
    address = unsubscribe_address(proven("anna@example.org", "Anna"), "game-42")
    assert address.startswith(mailbox)
    assert bool(address) == bool(mailbox)
    if address:
        receive(address, MESSAGE)
        assert Unsubscription.objects.count() == 1


def test_an_address_that_mail_servers_would_refuse_is_left_out(settings: Any) -> None:
    settings.REPLY_ADDRESS = f"{'r' * 20}@testserver"
    anna = proven("anna@example.org", "Anna")
    long, short = unsubscribe_address(anna, "invitations-123456789012"), unsubscribe_address(anna, "turns")
    assert long == ""
    assert len(short.partition("@")[0]) <= 64
