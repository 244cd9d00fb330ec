"""Tokens for programs on their owner's page: shown once, stored as a hash, announced by email, removed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client

from accounts.api_tokens import MOST_TOKENS, make_token
from accounts.mail.models import OutgoingEmail
from accounts.models import ApiToken, User
from accounts.privacy import export
from tests.api.asking import Program, told
from tests.people import all_proven

pytestmark = pytest.mark.django_db
FORM = {"name": "A widget", "scopes": ["read"], "days": "30"}


@pytest.fixture
def anna() -> User:
    return all_proven({"anna@example.org": "Anna"})[0]


@pytest.fixture
def client(anna: User) -> Client:
    found = Client()
    found.force_login(anna)
    return found


def made_on(page: Any) -> str:
    found = re.search(r"<code>(condottiere_[\w-]{43})</code>", page.content.decode())
    assert found is not None
    return found[1]


def test_a_token_is_shown_once_and_stored_as_a_hash(client: Client, anna: User) -> None:
    text = made_on(client.post("/me/tokens/", FORM))
    page = client.get("/me/tokens/").content.decode()
    assert text not in page
    assert f"(…{text[-4:]})" in page
    row = ApiToken.objects.values().get()
    assert text not in json.dumps(row, default=str)
    program = Program()
    program.headers["Authorization"] = f"Bearer {text}"
    assert told(program.get("me"))["scopes"] == ["read"]
    assert "Last used on" in client.get("/me/tokens/").content.decode()


def test_its_owner_gets_an_email_with_its_name_and_never_the_token(client: Client) -> None:
    text = made_on(client.post("/me/tokens/", FORM))
    stored = OutgoingEmail.objects.get().context
    assert (stored["notice"], stored["token_name"]) == ("api_token_made", "A widget")
    assert text not in json.dumps(stored)


def test_a_removed_token_no_longer_works_and_others_cannot_remove_it(client: Client, anna: User) -> None:
    row, text = make_token(anna, "A widget", ["read"], None)
    other = Client()
    other.force_login(all_proven({"bruno@example.org": "Bruno"})[0])
    for number in (str(row.pk), "x", "9" * 40, "²", ""):
        other.post("/me/tokens/remove/", {"token": number})
    assert ApiToken.objects.filter(pk=row.pk).exists()
    page = client.post("/me/tokens/remove/", {"token": row.pk}, follow=True).content.decode()
    assert "It no longer works." in page
    program = Program()
    program.headers["Authorization"] = f"Bearer {text}"
    assert told(program.get("me"), 401)


def test_what_cannot_be_a_token_is_not_made(client: Client, anna: User) -> None:
    for wrong in ({"name": ""}, {"scopes": []}, {"scopes": ["all"]}, {"days": "4000"}, {"name": "x" * 61}):
        assert client.post("/me/tokens/", FORM | wrong).status_code == 422
    assert not anna.api_tokens.exists()
    for _number in range(MOST_TOKENS):
        make_token(anna, "One", ["read"], None)
    page = client.post("/me/tokens/", FORM)
    assert (page.status_code, anna.api_tokens.count()) == (422, MOST_TOKENS)


def test_a_token_lasts_as_long_as_its_owner_chose(client: Client, anna: User) -> None:
    for days, expected in (("30", 30), ("", None)):
        client.post("/me/tokens/", FORM | {"days": days})
        row = anna.api_tokens.last()
        assert row is not None
        lasts = row.expires_at and (row.expires_at - row.since).days
        assert lasts == expected


def test_the_download_of_ones_data_lists_tokens_without_them(client: Client, anna: User) -> None:
    text = made_on(client.post("/me/tokens/", FORM))
    told_all = json.dumps(export(anna), default=str)
    assert "A widget" in told_all
    assert text not in told_all
    assert ApiToken.objects.get().digest not in told_all
