"""The operator's link: a button signs in once, and opening it does nothing."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.conf import settings
from django.test import Client
from django.utils import timezone

from condottiere_site.operators import operator, sign_in_url

pytestmark = pytest.mark.django_db


def _path() -> str:
    return sign_in_url(operator()).removeprefix(settings.SITE_URL)


def _is_signed_in(client: Client) -> bool:
    return settings.SESSION_COOKIE_NAME in client.cookies


def test_the_operator_is_made_once_and_is_staff() -> None:
    first, second = operator(), operator()
    assert first.pk == second.pk
    assert first.is_staff
    assert first.is_superuser


def test_opening_the_link_shows_a_button_and_signs_no_one_in(client: Client) -> None:
    path = _path()
    for _ in range(3):
        response = client.get(path)
        assert response.status_code == 200
        assert re.search(r"<form[^>]*method=.post.", response.content.decode())
        assert response["Referrer-Policy"] == "same-origin"
        assert "no-store" in response["Cache-Control"]
    assert not _is_signed_in(client)


def test_the_button_signs_in_once(client: Client) -> None:
    path = _path()
    assert client.post(path).status_code == 302
    assert _is_signed_in(client)
    again = Client()
    assert again.post(path).status_code == 404
    assert not _is_signed_in(again)


def test_the_button_works_without_a_cookie() -> None:
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(_path()).status_code == 302


@pytest.mark.parametrize(
    "change", [lambda token: token[:-3] + "abc", lambda token: "nonsense", lambda token: token[2:]]
)
def test_a_changed_link_is_refused_in_the_same_words_as_a_used_one(client: Client, change) -> None:
    path = _path()
    token = path.rstrip("/").rpartition("/")[2]
    refused = client.get(path.replace(token, change(token)))
    client.post(path)
    used = Client().get(path)
    assert refused.status_code == used.status_code == 404
    assert "This link no longer works" in refused.content.decode()
    assert "This link no longer works" in used.content.decode()


def test_a_link_dies_after_a_day(client: Client) -> None:
    path = _path()
    with time_machine.travel(timezone.now() + timedelta(hours=25)):
        assert client.post(path).status_code == 404


def test_someone_who_is_no_longer_staff_is_not_signed_in(client: Client) -> None:
    path = _path()
    user = operator()
    user.is_staff = False
    user.save()
    assert client.post(path).status_code == 404
