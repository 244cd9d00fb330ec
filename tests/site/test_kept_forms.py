"""A form that can't be taken, because its reader signed in or out in another tab, keeps what was typed."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from games.chat.models import Message
from games.models import Game, SharedHour
from tests.games.playing import begin_game
from tests.journeys.visiting import Form, page_in

pytestmark = pytest.mark.django_db

OWN = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
TEXT = '\n  Shall we </textarea><script>alert("1")</script> & meet?\n\n\tOn Sunday – „ja“. ' + "word " * 300
FOREIGN = [
    {},
    {"origin": "null"},
    {"origin": "http://evil.example.org"},
    {"origin": "http://testserver:8001"},
    {"origin": "https://testserver"},
    {"origin": "http://testserver.evil.example.org"},
    {"origin": "http://testserver", "sec-fetch-site": "cross-site"},
    {"origin": "http://testserver", "sec-fetch-site": "same-site"},
    {"origin": "http://testserver", "sec-fetch-site": "none"},
]


@pytest.fixture
def game(anna: Any, bruno: Any) -> Game:
    return begin_game([anna, bruno])


def browser_of(person: Any) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return client


def the_form(answer: Any) -> Form:
    """The one form of the page that shows what was typed again."""
    assert answer.status_code == 403
    assert answer["Cache-Control"] == "max-age=0, no-cache, no-store, must-revalidate, private"
    (form,) = [one for one in page_in(answer).forms if any("again" in b.words for b in one.buttons)]
    assert form.method == "post"
    return form


def again(client: Client, answer: Any, path: str) -> Any:
    """Press the one button of that page."""
    form = the_form(answer)
    assert len(form.buttons) == 1
    assert form.action == path
    return client.post(path, form.fields, headers=OWN)


def as_sent(text: str) -> str:
    return text.replace("\n", "\r\n")


def test_a_text_is_shown_again_and_sent_by_one_press(game: Game, anna: Any) -> None:
    client, path = browser_of(anna), f"/tables/{game.table_id}/chat/"
    client.get(path)
    answer = client.post(path, {"text": as_sent(TEXT), "csrfmiddlewaretoken": "a" * 64}, headers=OWN)
    assert not Message.objects.exists()
    page = answer.content.decode()
    assert "<script>alert" not in page
    assert "You’re now signed in as Anna." in page
    form = the_form(answer)
    assert form.fields["text"] == as_sent(TEXT)
    assert again(client, answer, path).status_code == 302
    assert Message.objects.get().text.split() == TEXT.split()


@pytest.mark.parametrize("before", ["a guest", "someone else"])
def test_a_form_opened_before_signing_in_is_sent_after_it(
    game: Game, anna: Any, bruno: Any, before: str
) -> None:
    client = Client(enforce_csrf_checks=True) if before == "a guest" else browser_of(bruno)
    client.get("/accounts/login/" if before == "a guest" else f"/games/{game.pk}/hours/")
    token, path = client.cookies["csrftoken"].value, f"/games/{game.pk}/hours/"
    client.cookies.clear()
    client.force_login(anna, backend=settings.AUTHENTICATION_BACKENDS[0])
    client.get(path)
    typed = {"day_1": "2999-01-01", "start_1": "20:00", "end_1": "21:00", "weekly": "on"}
    answer = client.post(path, typed | {"csrfmiddlewaretoken": token}, headers=OWN)
    assert typed.items() <= the_form(answer).fields.items()
    taken = again(client, answer, path)
    assert taken.status_code == 422
    assert 'value="2999-01-01"' in taken.content.decode()
    assert not SharedHour.objects.exists()


@pytest.mark.parametrize("headers", FOREIGN)
def test_nothing_that_may_come_from_another_page_is_shown(game: Game, anna: Any, headers: Any) -> None:
    path = f"/tables/{game.table_id}/chat/"
    for client in (browser_of(anna), Client(enforce_csrf_checks=True)):
        client.get(path)
        answer = client.post(path, {"text": "Free cards for you"}, headers=headers)
        assert answer.status_code == 403
        assert "Free cards" not in answer.content.decode()
        assert "This form has expired" in answer.content.decode()
        for method in (client.get, client.put, client.patch, client.delete):
            assert "Free cards" not in method(f"{path}?text=Free+cards", headers=OWN).content.decode()


SECRET = "a-secret-word 1"


@pytest.mark.parametrize(
    "path",
    [
        "/accounts/login/", "/accounts/login/code/confirm/", "/accounts/signup/", "/accounts/reauthenticate/",
        "/accounts/password/change/", "/accounts/2fa/authenticate/", "/operator/admin/login/",
    ],
)  # fmt: skip
def test_what_is_typed_to_sign_in_is_never_shown(anna: Any, path: str) -> None:
    for client in (browser_of(anna), Client(enforce_csrf_checks=True)):
        answer = client.post(path, {"login": SECRET, "anything": SECRET}, headers=OWN)
        assert SECRET not in answer.content.decode()


@pytest.mark.parametrize("name", ["password", "new_password1", "code", "otp_code", "TOKEN", "client_secret"])
def test_a_form_with_a_secret_is_never_shown(game: Game, anna: Any, name: str) -> None:
    answer = browser_of(anna).post(f"/games/{game.pk}/note/", {"text": "Hm.", name: SECRET}, headers=OWN)
    assert answer.status_code == 403
    assert SECRET not in answer.content.decode()


def test_values_of_one_name_and_empty_ones_keep_their_order(game: Game, anna: Any) -> None:
    sent = [("seats", "2"), ("seats", "1"), ("text", "One."), ("text", "Two."), ("empty", ""), ('"><b>', "x")]
    answer = browser_of(anna).post(
        f"/tables/{game.table_id}/chat/",
        urlencode(sent),
        content_type="application/x-www-form-urlencoded",
        headers=OWN,
    )
    page = answer.content.decode()
    assert [each for each in sent if f'"{each[0]}"' in page] == sent[:-1]
    assert page.index('value="2"') < page.index('value="1"')
    assert page.index("One.") < page.index("Two.")
    assert '"><b>' not in page


def test_a_file_is_not_kept_and_the_page_says_so(game: Game, anna: Any) -> None:
    file = SimpleUploadedFile("list.csv", b"mallory@example.org")
    typed = {"text": "anna@example.org, Anna", "file": file}
    answer = browser_of(anna).post(reverse("season_invite", args=[1, 1]), typed, headers=OWN)
    page = answer.content.decode()
    assert "anna@example.org, Anna" in page
    assert "mallory" not in page
    assert "A file can’t be kept." in page


@pytest.mark.parametrize(
    "sent",
    [{"text": "word " * 70_000}, {f"field_{n}": "a word" for n in range(400)}, {"n" * 310_000: "a word"}],
)
def test_more_than_any_form_holds_is_not_shown(game: Game, anna: Any, sent: Any) -> None:
    form, kind = urlencode(sent), "application/x-www-form-urlencoded"
    answer = browser_of(anna).post(f"/games/{game.pk}/note/", form, content_type=kind, headers=OWN)
    assert answer.status_code == 403
    assert len(answer.content) < 10_000


def test_the_page_leads_nowhere_but_to_the_address_the_form_was_sent_to(anna: Any) -> None:
    for path in ("//evil.example.org/", "/\\evil.example.org", "/tables/?next=//evil.example.org"):
        answer = browser_of(anna).post(path, {"text": "A word.", "next": "//evil.example.org"}, headers=OWN)
        assert 'action="//' not in answer.content.decode()
        for form in page_in(answer).forms if answer.status_code == 403 else ():
            assert form.action.startswith("/")
            assert not form.action.startswith("//")


def test_a_text_sent_without_a_session_waits_for_signing_in(game: Game, anna: Any) -> None:
    client, path = browser_of(anna), f"/games/{game.pk}/note/"
    opened = page_in(client.get(f"/games/{game.pk}/arrangements/"))
    token = opened.form("note/").fields["csrfmiddlewaretoken"]
    Session.objects.all().delete()
    typed = {"text": as_sent("Watch Bruno.\nHe has Winter."), "csrfmiddlewaretoken": token}
    answer = client.post(path, typed, headers=OWN)
    assert 'href="/accounts/login/" target="_blank"' in answer.content.decode()
    shown = the_form(answer).fields
    client.cookies.clear()
    client.force_login(anna, backend=settings.AUTHENTICATION_BACKENDS[0])  # in another tab
    client.get(f"/games/{game.pk}/arrangements/")
    second = client.post(path, shown | {"csrfmiddlewaretoken": "c" * 64}, headers=OWN)
    assert again(client, second, path).status_code == 302
    assert game.notes.get().text == "Watch Bruno.\nHe has Winter."


def test_a_button_pressed_without_a_session_leads_to_signing_in_as_before(game: Game, anna: Any) -> None:
    client = Client()
    for sent in ({"move": "play 10", "decision_step": "3"}, {"what": "more time", "hours": "24"}):
        answer = client.post(f"/games/{game.pk}/time/", sent, headers=OWN)
        assert answer["Location"].startswith("/accounts/login/?next=")
    for headers in FOREIGN:
        answer = client.post(f"/games/{game.pk}/note/", {"text": "Free cards for you"}, headers=headers)
        assert answer["Location"].startswith("/accounts/login/?next=")


def test_a_chat_keeps_its_text_in_the_session_as_before(game: Game) -> None:
    answer = Client().post(f"/tables/{game.table_id}/chat/", {"text": "Shall we begin?"}, headers=OWN)
    assert answer["Location"].startswith("/accounts/login/?next=")
