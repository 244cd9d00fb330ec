"""No list reads more rows because there are more games, tables, invitations or players on the site."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts import present
from accounts.models import Block, User
from games import commands
from games.leagues.models import Rating
from games.models import Game, Invitation, Seat, Table
from games.models.tables import new_join_key
from tests.faults.stage import copies, more_people
from tests.games.playing import begin_game, seat_table

pytestmark = [pytest.mark.django_db, pytest.mark.once, pytest.mark.timeout(900)]

FIRST, MORE = 1_500, 4_500  # PostgreSQL reads a small table from end to end, whatever its indexes
SLACK = 1.3  # how a row is found may change a little with the size of the tables
LISTS = ("/", "/games/", "/tables/", "/watch/", "/leagues/ratings/2007/")


@pytest.fixture(autouse=True)
def on_postgresql(db: None) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL tells how many rows it has read")


@pytest.fixture
def reader(anna: User, bruno: User, stranger: User, signed_in: Any) -> Client:
    """Somebody with a game, a table, an invitation, a rating and a block."""
    begin_game([anna, bruno])
    commands.invite(seat_table([bruno], size=4), anna.email)
    Rating.objects.create(user=anna, edition="2007", mu=25.0, sigma=3.0, tables=9)
    Block.objects.create(by=anna, whom=stranger)
    return signed_in(anna)


def site_grows(count: int, host: User) -> None:
    """So many more watched and unwatched games, tables that look for players, invitations and ratings."""
    people = more_people(count)
    game = Game.objects.order_by("pk").first()
    open_table = Table.objects.gathering().order_by("pk").first()
    assert game is not None
    assert open_table is not None
    now = present.now()
    played = copies(Table, ((game.table, _new(name="Played")) for _ in people))
    copies(
        Game,
        (
            (game, {"table": table, "ended_at": now, "moved_at": now, "anyone_watches": number % 2 == 0})
            for number, table in enumerate(played)
        ),
    )
    gathering = copies(Table, ((open_table, _new(created_at=now + timedelta(seconds=1))) for _ in people))
    seat = open_table.seats.get()
    copies(Seat, ((seat, {"table": table, "user": host}) for table in [*played, *gathering]))
    copies(
        Seat, ((seat, {"table": table, "user": who, "number": 1}) for table, who in _pairs(played, people))
    )
    invitation = Invitation.objects.order_by("pk").first()
    copies(
        Invitation,
        ((invitation, {"table": table, "email": who.email}) for table, who in _pairs(gathering, people)),
    )
    Rating.objects.bulk_create(
        Rating(user=who, edition="2007", mu=20.0 + number % 97 / 10, sigma=2.5, tables=5)
        for number, who in enumerate(people)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


def _new(**columns: object) -> dict[str, Any]:
    keys = {name: new_join_key() for name in ("join_key", "watch_key")}
    return {"form_key": uuid.uuid4(), **keys, **columns}


def _pairs(tables: list[Table], people: list[User]) -> Iterator[tuple[Table, User]]:
    return zip(tables, people, strict=True)


def rows_read(client: Client, path: str) -> int:
    """How many rows the database looks at for a page."""
    client.get(path)
    with CaptureQueriesContext(connection) as captured:
        assert client.get(path).status_code == 200
    return sum(_rows_of(query["sql"]) for query in captured if query["sql"].startswith("SELECT"))


def _rows_of(statement: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + statement.replace("%", "%%"))
        return sum(_scanned(cursor.fetchone()[0][0]["Plan"]))


def _scanned(node: dict[str, Any]) -> Iterator[int]:
    """Rows that each scan of a plan has looked at, those it left out among them."""
    if "Scan" in node["Node Type"]:
        left_out = ("Rows Removed by Filter", "Rows Removed by Index Recheck")
        looked_at = node["Actual Rows"] + sum(node.get(name, 0) for name in left_out)
        yield round(looked_at * node["Actual Loops"])
    for part in node.get("Plans", ()):
        yield from _scanned(part)


def test_lists_read_no_more_rows_on_a_larger_site(reader: Client, bruno: User) -> None:
    site_grows(FIRST, bruno)
    before = {path: rows_read(reader, path) for path in LISTS}
    site_grows(MORE, bruno)
    after = {path: rows_read(reader, path) for path in LISTS}
    grown = {path: (before[path], rows) for path, rows in after.items() if rows > before[path] * SLACK}
    assert grown == {}


def test_a_list_that_reads_a_whole_table_would_be_noticed(reader: Client, bruno: User) -> None:
    site_grows(FIRST, bruno)
    whole = Invitation.objects.filter(email__iexact="anna@example.org")
    assert _rows_of(str(whole.query).replace("anna@example.org", "'anna@example.org'")) >= FIRST
