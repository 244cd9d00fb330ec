"""A text typed while signed out is found again after signing in; the site never sends it."""

import re
from html import unescape
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core import mail
from django.core.cache import cache
from django.test import Client

from accounts.mail.delivery import deliver_due
from games import services
from games.chat.models import Message
from games.chat.views import drafts
from games.models import Table
from tests.games.playing import seat_table

pytestmark = pytest.mark.django_db

TYPED = "Shall we begin on **Sunday**?\nI bring <wine>."


@pytest.fixture(autouse=True)
def no_rate_is_used_up(db: None) -> None:
    cache.clear()


def path_of(table: Table) -> str:
    return f"/tables/{table.pk}/chat/"


def token_on(page: str) -> str:
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert found
    return found[1]


def typed_on(page: str) -> str:
    """Return the text in the form."""
    found = re.search(r'<textarea name="text"[^>]*>\n?(.*?)</textarea>', page, re.S)
    assert found, page
    return unescape(found[1]).lstrip("\n").replace("\r\n", "\n")


def chat_page(client: Client, table: Table) -> str:
    answer = client.get(path_of(table))
    assert answer.status_code == 200
    return answer.content.decode()


def signed_out(client: Client, table: Table, text: str = TYPED) -> Any:
    """Send a text while signed out; return the answer."""
    return client.post(path_of(table), {"text": text, "after": 0, "back": ""})


def sign_in(client: Client, person: Any, page: str) -> str:
    """Sign in with a code, from the page one was sent to; return where that leads."""
    form = {"login": person.email, "next": page, "csrfmiddlewaretoken": token_on(page_at(client, page))}
    client.post("/accounts/login/", form)
    mail.outbox.clear()
    deliver_due()
    code = re.search(r"^ {4}(\S+)$", mail.outbox[-1].body, re.M)
    assert code
    confirm = "/accounts/login/code/confirm/"
    form = {"code": code[1], "next": page}
    form["csrfmiddlewaretoken"] = token_on(client.get(confirm).content.decode())
    answer = client.post(confirm, form)
    assert "_auth_user_id" in client.session
    return str(answer["Location"])


def page_at(client: Client, page: str) -> str:
    return client.get("/accounts/login/", {"next": page}).content.decode()


@pytest.mark.parametrize("end", ["the session ended", "signed out elsewhere"])
def test_the_text_stands_in_the_form_after_signing_in_and_is_sent_by_hand(
    table: Table, bruno: Any, end: str
) -> None:
    client = Client(enforce_csrf_checks=True)
    sign_in(client, bruno, path_of(table))
    token = token_on(chat_page(client, table))
    if end == "the session ended":
        Session.objects.all().delete()
    else:
        client.post("/accounts/logout/", {"csrfmiddlewaretoken": token})
    answer = client.post(path_of(table), {"text": TYPED.replace("\n", "\r\n"), "csrfmiddlewaretoken": token})
    assert (answer.status_code, answer["Location"]) == (302, f"/accounts/login/?next={path_of(table)}")
    assert not Message.objects.exists()
    assert sign_in(client, bruno, path_of(table)) == path_of(table)
    assert client.head(path_of(table)).status_code == 200
    page = chat_page(client, table)
    assert typed_on(page) == TYPED
    assert "was not sent" in page
    assert not Message.objects.exists()
    client.post(path_of(table), {"text": typed_on(page), "csrfmiddlewaretoken": token_on(page)})
    assert Message.objects.get().text == TYPED
    page = chat_page(client, table)
    assert typed_on(page) == ""
    assert "was not sent" not in page


def test_it_is_shown_once(table: Table, bruno: Any) -> None:
    client = Client()
    signed_out(client, table)
    sign_in(client, bruno, path_of(table))
    assert typed_on(chat_page(client, table)) == TYPED
    assert typed_on(chat_page(client, table)) == ""
    assert "Sunday" not in str(client.session.items())


def test_it_is_shown_at_its_own_table_only(people: list[Any], table: Table, bruno: Any) -> None:
    other = seat_table(people, name="Another table")
    client = Client()
    signed_out(client, table)
    sign_in(client, bruno, "/")
    assert typed_on(chat_page(client, other)) == ""
    assert typed_on(chat_page(client, table)) == TYPED


def test_the_last_text_is_kept(table: Table, bruno: Any) -> None:
    client = Client()
    signed_out(client, table, "A first thought")
    signed_out(client, table, "A second thought")
    sign_in(client, bruno, path_of(table))
    assert typed_on(chat_page(client, table)) == "A second thought"


def test_someone_who_does_not_sit_there_never_sees_it(table: Table, stranger: Any) -> None:
    for watch, status in (("nobody", 404), ("anyone", 200)):
        Table.objects.update(watch=watch)
        client = Client()
        signed_out(client, table)
        sign_in(client, stranger, path_of(table))
        answer = client.get(path_of(table))
        assert answer.status_code == status
        assert "Sunday" not in answer.content.decode()


def test_a_player_of_a_table_anyone_may_watch_loses_nothing_either(table: Table, bruno: Any) -> None:
    Table.objects.update(watch="anyone")
    client = Client()
    answer = signed_out(client, table)
    assert answer["Location"] == f"/accounts/login/?next={path_of(table)}"
    assert "Sunday" not in client.get(path_of(table)).content.decode()
    sign_in(client, bruno, path_of(table))
    assert typed_on(chat_page(client, table)) == TYPED


def test_at_a_closed_table_there_is_no_form_for_it(table: Table, bruno: Any) -> None:
    client = Client()
    signed_out(client, table)
    services.cancel(table)
    sign_in(client, bruno, path_of(table))
    assert "no one can write here" in chat_page(client, table)


def test_the_answer_does_not_tell_whether_there_is_such_a_table(table: Table) -> None:
    """Cookies and headers are the same too."""
    answers = [Client().post(f"/tables/{pk}/chat/", {"text": TYPED}) for pk in (table.pk, 99_999, 10**18 - 1)]
    assert {answer.status_code for answer in answers} == {302}
    assert len({tuple(sorted(answer.cookies)) for answer in answers}) == 1
    assert len({tuple(sorted(answer.headers)) for answer in answers}) == 1
    for answer in answers:
        assert answer["Location"].startswith("/accounts/login/")
        assert "no-store" in answer["Cache-Control"]
        assert "Cookie" in answer["Vary"]
    kept = [str(session.get_decoded()) for session in Session.objects.all()]
    assert len([text for text in kept if "Sunday" in text]) == 1


def test_only_a_text_that_could_be_a_message_is_kept_and_any_other_is_given_back(table: Table) -> None:
    for text, why in (("x" * 4001, "This one has 4001"), (" \n", "The message is empty")):
        pages = []
        for pk in (table.pk, 99_999):
            client = Client()
            answer = client.post(f"/tables/{pk}/chat/", {"text": text})
            assert answer.status_code == 400
            pages.append(re.sub(r'value="\w{64}"', "", answer.content.decode()).replace(f"/{pk}/", "/"))
            assert why in pages[-1]
            assert "You are signed out" in pages[-1]
            assert text.strip() in typed_on(pages[-1])
            assert not client.session.keys()
        assert pages[0] == pages[1]
        assert table.name not in pages[0]
        assert "/accounts/login/?next=" in pages[0]


def test_what_is_kept_is_cleaned(table: Table) -> None:
    client = Client()
    signed_out(client, table, "  A\u202eword\r\nand http://testserver/seat/WzEsMl0:abcdefghijklmn:opq/ ")
    assert client.session["draft"]["text"] == "Aword\nand (link removed)"


def test_so_many_a_day_from_one_place_then_the_text_is_given_back_to_copy(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "MOST_DRAFTS_A_DAY", 2)
    assert [signed_out(Client(), table).status_code for _ in range(3)] == [302, 302, 429]
    page = signed_out(Client(), table).content.decode()
    assert typed_on(page) == TYPED
    assert "Copy it" in page
    assert Session.objects.count() == 2


def test_the_privacy_page_speaks_of_it(client: Client) -> None:
    page = unescape(client.get("/privacy/").content.decode())
    assert "A message you sent after you were signed out" in page
    assert "that you wrote a message while signed out" in page
