"""The chat settings: chosen with a new table, and shown before anyone takes a seat."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from accounts.mail.delivery import deliver_due
from games import services
from games.models import Table
from games.presenters.chat_settings import chat_explained, unusual_settings
from tests.chat.chatting import say
from tests.games.gathering import make_by_form
from tests.games.playing import begin_game

pytestmark = pytest.mark.django_db

COLUMNS = ("chat", "shows_cards", "spectators_read", "is_anonymous")
USUAL = {"chat": "all", "shows_cards": "yes", "spectators_read": "yes", "is_anonymous": "no"}


def terms_of(table: Table) -> tuple[object, ...]:
    return tuple(getattr(table, column) for column in COLUMNS)


def made(client: Any, **fields: Any) -> Table:
    assert make_by_form(client, **fields).status_code == 302
    table = Table.objects.order_by("pk").last()
    assert table is not None
    return table


def page_of(client: Any, table: Table) -> str:
    return str(client.get(f"/tables/{table.pk}/").content.decode())


def test_someone_who_changes_nothing_gets_a_table_at_which_all_chat(signed_in: Any, anna: Any) -> None:
    assert terms_of(made(signed_in(anna))) == ("all", True, True, False)


def test_the_terms_are_those_that_were_chosen(signed_in: Any, anna: Any) -> None:
    chosen = {"chat": "between", "shows_cards": "no", "spectators_read": "no", "is_anonymous": "yes"}
    assert terms_of(made(signed_in(anna), **chosen)) == ("between", False, False, True)


@pytest.mark.parametrize("column", COLUMNS)
def test_a_term_that_there_is_not_is_refused(signed_in: Any, anna: Any, column: str) -> None:
    answer = make_by_form(signed_in(anna), **{column: "sometimes"})
    assert answer.status_code == 400
    assert not Table.objects.exists()
    assert re.search(r'<details class="more" open>\s*<summary>Chat', answer.content.decode())


def test_the_form_shows_the_usual_terms_chosen_and_folded_away(signed_in: Any, anna: Any) -> None:
    page = signed_in(anna).get("/tables/new/").content.decode()
    for field, usual in USUAL.items():
        radios = [part.partition(">")[0] for part in page.split("<input") if f'name="{field}"' in part]
        assert [f'value="{usual}"' in part for part in radios] == ["checked" in part for part in radios]
        assert sum("checked" in part for part in radios) == 1
    assert re.search(r'<details class="more">\s*<summary>Chat', page)


@pytest.mark.parametrize("chat", Table.Chat.values)
def test_who_may_write_to_whom_is_told_before_anyone_sits_down(
    signed_in: Any, anna: Any, bruno: Any, chat: str
) -> None:
    table = made(signed_in(anna), entry="open", chat=chat)
    page, told = page_of(signed_in(bruno), table), chat_explained(table)
    others = [Table(size=3, chat=other) for other in Table.Chat.values]
    for sentence in {sentence for other in others for sentence in chat_explained(other)} | set(told):
        assert (f"<p>{sentence}</p>" in page) == (sentence in told)


def test_the_invitations_link_tells_all_settings(signed_in: Any, anna: Any, mailoutbox: Any) -> None:
    chosen = {"chat": "none", "shows_cards": "no", "is_anonymous": "yes"}
    table = made(signed_in(anna), invited="dora@example.org", **chosen)
    deliver_due()
    found = re.search(r"http://testserver(/invitation/[^\s#]+)#settings", mailoutbox[-1].body)
    assert found
    plain = " ".join(unescape(Client().get(found[1]).content.decode()).split())
    for sentence in chat_explained(table):
        assert sentence in plain
    assert "Players are anonymous until all games are over" in plain


def test_the_list_of_tables_says_what_is_unusual(signed_in: Any, anna: Any, client: Any) -> None:
    assert not unusual_settings(made(signed_in(anna), entry="open"))
    assert "no chat" not in client.get("/tables/").content.decode()
    made(signed_in(anna), entry="open", chat="none", is_anonymous="yes")
    page = client.get("/tables/").content.decode()
    assert "no chat" in page
    assert "anonymous" in page


def test_a_table_without_chat_takes_no_message_while_it_plays(people: list[Any], signed_in: Any) -> None:
    table = begin_game(people, chat="none").table
    answer = signed_in(people[0]).post(f"/tables/{table.pk}/chat/", {"text": "Peace?"})
    assert answer.status_code == 409
    assert "allow chat during the game" in answer.content.decode()


def test_at_an_anonymous_table_chat_begins_with_the_game(people: list[Any], signed_in: Any) -> None:
    table = made(signed_in(people[0]), entry="open", is_anonymous="yes", size=3)
    answer = signed_in(people[0]).post(f"/tables/{table.pk}/chat/", {"text": "It is me."})
    assert answer.status_code == 409
    assert "the chat opens when the game starts" in answer.content.decode()
    for person in people[1:]:
        services.take_seat(table, person)
    for seat in table.seats.all():
        services.confirm(seat)
    assert say(signed_in(people[0]), table, "Good evening.").status_code == 302
