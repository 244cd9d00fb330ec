"""Names at tables lead to their players' pages, without a query for each, and never where they are hidden."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from games.links import person_path
from games.models import Table
from tests.games.playing import begin_game, play_to_the_end, seat_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def people(anna: Any, bruno: Any, carla: Any) -> list[Any]:
    return [anna, bruno, carla]


def linked(client: Client, path: str, people: list[Any]) -> list[str]:
    """Return the people to whose pages this page links."""
    page = client.get(path).content.decode()
    return [person.name for person in people if f'href="{person_path(person.pk)}"' in page]


def pages(people: list[Any], **terms: Any) -> list[str]:
    """Return a game's page, its table's page, its page for spectators, and those of an open table."""
    table = begin_game(people, watch="anyone", **terms).table
    open_table = seat_table(people, size=4, entry="open", **terms)
    game = table.games.get()
    return [
        f"/games/{game.pk}/",
        f"/tables/{table.pk}/",
        f"/watch/{table.watch_key}/",
        f"/tables/{open_table.pk}/",
        f"/join/{open_table.join_key}/",
    ]


@pytest.mark.sqlite
def test_names_on_the_pages_of_a_table_lead_to_pages(people: list[Any], signed_in: Any) -> None:
    def led_to(path: str) -> list[str]:
        joining = path.startswith("/join/")  # players are led on to their table
        return linked(Client() if joining else signed_in(people[0]), path, people)

    assert [led_to(path) for path in pages(people)] == [["Anna", "Bruno", "Carla"]] * 5
    User.objects.filter(pk=people[1].pk).update(hides_page=True)
    assert [led_to(path) for path in pages(people)] == [["Anna", "Carla"]] * 5


def test_no_name_leads_anywhere_while_players_are_anonymous(people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    for path in [*pages(people, is_anonymous=True), "/tables/"]:
        assert linked(client, path, people) == [], path
    game = begin_game(people, is_anonymous=True)
    play_to_the_end(game)
    assert Table.objects.get(pk=game.table_id).state == Table.State.FINISHED
    assert linked(client, f"/games/{game.pk}/", people) == ["Anna", "Bruno", "Carla"]


def test_the_list_of_tables_links_its_hosts(people: list[Any]) -> None:
    seat_table(people, size=4, entry="open")
    assert linked(Client(), "/tables/", people) == ["Anna"]


def test_links_need_no_queries(people: list[Any], signed_in: Any) -> None:
    client = signed_in(people[0])
    for of_three, of_two in zip(pages(people), pages(people[:2]), strict=True):
        asked = []
        for path in (of_three, of_two):
            client.get(path)  # what is read for the first time is marked
            with CaptureQueriesContext(connection) as captured:
                client.get(path)
            asked.append(len(captured))
        assert asked[0] == asked[1], of_three
