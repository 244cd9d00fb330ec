"""What a person takes with him, and what stays when he is deleted."""

import json
from typing import Any

import pytest

from games.models import Table
from games.press import personal
from games.press.commands import write
from games.press.models import Message
from tests.press.talking import talk_letters

pytestmark = pytest.mark.django_db


def test_the_export_holds_his_own_messages_and_nobody_elses(table: Table, people: list[Any]) -> None:
    seats = list(table.seats.select_related("user"))
    write(seats[0], "Mine, *all* mine")
    write(seats[1], "Somebody else's")
    exported = personal.export(people[0])
    json.dumps(exported)
    assert [message["text"] for message in exported["messages"]] == ["Mine, *all* mine"]
    assert exported["messages"][0]["table"] == "Table 42"


def test_who_is_deleted_is_a_former_player_whose_words_stay(
    table: Table, people: list[Any], signed_in: Any
) -> None:
    write(table.seats.select_related("user").get(user=people[1]), "I was here")
    personal.forget(people[1])
    page = signed_in(people[0]).get(f"/tables/{table.pk}/talk/").content.decode()
    assert "I was here" in page
    assert "a former player" in page
    assert "Bruno" not in page
    assert personal.export(people[1]) == {"messages": []}
    assert Message.objects.get().author is None
    assert {letter.subject for letter in talk_letters()} >= {"A former player wrote to the table: Table 42"}
