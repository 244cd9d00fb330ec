"""The lobby and the home page read what they show, however many tables are open."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Block, User
from games.models import Seat, Table
from tests.access.test_rows_do_not_grow import new_table
from tests.faults.stage import copies, more_people
from tests.games.playing import seat_table

pytestmark = [pytest.mark.django_db, pytest.mark.once]

FEW, MANY = 10, 200
SHOWN = 9  # on a page of the lobby, whether there are few or many
# Rows that earlier tests took back lie between. A page that reads all open tables reads ten times as much.
SLACK = 2


def blocks_read(client: Client, path: str) -> int:
    """Return how many blocks of 8 kB the database looks at for a page."""
    client.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200, path
    return sum(_blocks(query["sql"]) for query in captured if query["sql"].startswith("SELECT"))


def _blocks(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement.replace("%", "%%"))
        plan = cursor.fetchone()[0][0]["Plan"]
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def tables_open(table: Table, hosts: list[User]) -> None:
    """Open a table like this one for each of these people, with one person next to them."""
    more = copies(Table, ((table, new_table(host=host)) for host in hosts))
    seat = table.seats.order_by("number")[0]
    copies(Seat, ((seat, {"table": one, "user": one.host}) for one in more))
    second = zip(more, [*hosts[1:], hosts[0]], strict=True)
    copies(Seat, ((seat, {"table": one, "user": who, "number": 1}) for one, who in second))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def test_lists_read_no_more_of_two_hundred_open_tables_than_of_ten(
    anna: User, bruno: User, carla: User, stranger: User, signed_in: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("games.views.lobby.TABLES_ON_A_PAGE", SHOWN)
    Block.objects.create(by=anna, whom=stranger)
    Block.objects.create(by=carla, whom=anna)
    people = more_people(600)
    model = seat_table([bruno], size=4, entry="open")
    closed = copies(Table, ((model, new_table(state="finished")) for _ in people))
    seat = model.seats.get()
    copies(Seat, ((seat, {"table": one, "user": who}) for one, who in zip(closed, people, strict=True)))
    reader, anyone = signed_in(anna), Client()
    pages = [(reader, "/"), (reader, "/tables/"), (reader, "/games/"), (anyone, "/"), (anyone, "/tables/")]
    tables_open(model, people[: FEW - 1])
    few = [blocks_read(*page) for page in pages]
    tables_open(model, people[FEW:MANY])
    many = [blocks_read(*page) for page in pages]
    grown = [
        f"{path}: {before} blocks became {after}"
        for (_reader, path), before, after in zip(pages, few, many, strict=True)
        if after > before * SLACK
    ]
    assert not grown, "\n".join(grown)
