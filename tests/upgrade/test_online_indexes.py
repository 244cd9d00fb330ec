"""An index is added while the site serves, and after any interruption."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import DatabaseError, connection, connections, migrations, models, transaction
from django.db.migrations.state import ProjectState
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.online_indexes import AddIndexOnline
from games.models import Game, Table
from tests.games.playing import begin_game
from tests.people import proven
from tests.servers import HANGS, wait_until

NAME = "planted_index"
HALF_BUILT = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = to_regclass('planted_index')"
WAITS = "SELECT 1 FROM pg_locks WHERE locktype = 'virtualxid' AND NOT granted"

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite]


@pytest.fixture(autouse=True)
def _removed() -> Iterator[None]:
    yield
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX IF EXISTS {NAME}")


def migrated(index: models.Index | None = None, *, back: bool = False) -> list[str]:
    """Add the index by a migration, or remove it; return the statements."""
    migration = migrations.Migration("0002_planted", "games")
    migration.operations = [AddIndexOnline("game", index or models.Index(fields=["phase"], name=NAME))]
    migration.atomic = False
    before = ProjectState.from_apps(Game._meta.apps)
    with CaptureQueriesContext(connection) as captured, connection.schema_editor(atomic=False) as editor:
        (migration.unapply if back else migration.apply)(before, editor)
    return [query["sql"] for query in captured if NAME in query["sql"]]


def built() -> bool:
    with connection.cursor() as cursor:
        there = NAME in connection.introspection.get_constraints(cursor, Game._meta.db_table)
        if connection.vendor == "postgresql":
            cursor.execute("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)", [NAME])
            assert there == ((True,) in cursor.fetchall())
    return there


def changes(statements: list[str]) -> list[str]:
    return [" ".join(sql.split()[:3]) for sql in statements if sql.split()[0] in ("CREATE", "DROP")]


def test_it_is_built_concurrently_where_the_database_can_and_removed_again() -> None:
    how = "CONCURRENTLY" if connection.vendor == "postgresql" else f'"{NAME}"'
    assert changes(migrated()) == [f"CREATE INDEX {how}"]
    assert built()
    assert changes(migrated(back=True)) == [f"DROP INDEX {how}"]
    assert not built()


def test_an_index_that_is_there_is_not_built_again() -> None:
    """An earlier run was killed when it had built the index, before Django noted the migration."""
    migrated()
    assert changes(migrated()) == []
    assert built()
    migrated(back=True)
    assert changes(migrated(back=True)) == []


@pytest.mark.once  # SQLite builds an index whole or not at all
def test_a_half_built_index_is_dropped_and_built() -> None:
    migrated()
    with connection.cursor() as cursor:
        cursor.execute(HALF_BUILT)
    assert changes(migrated()) == ["DROP INDEX CONCURRENTLY", "CREATE INDEX CONCURRENTLY"]
    assert built()


@pytest.mark.once
def test_what_a_failed_build_leaves_is_dropped_and_built() -> None:
    """A unique index fails where rows break it, and PostgreSQL keeps what it has built."""
    people = [proven(f"{name}@example.org", name) for name in ("Anna", "Bruno", "Carla")]
    begin_game(people)
    begin_game(people)
    phase = Game._meta.get_field("phase").column
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute(f"CREATE UNIQUE INDEX CONCURRENTLY {NAME} ON games_game ({phase})")
    assert changes(migrated()) == ["DROP INDEX CONCURRENTLY", "CREATE INDEX CONCURRENTLY"]
    assert built()
    assert Table.objects.count() == 2
    assert User.objects.count() == 3


@pytest.mark.once  # Django itself refuses it on SQLite
def test_inside_a_transaction_it_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match="`atomic = False`"), transaction.atomic():
        migrated()
    assert not built()


@pytest.mark.once
def test_players_write_while_it_is_built() -> None:
    """It waits for who writes already; a plain index would make everyone else wait with it."""
    game = begin_game([proven(f"{name}@example.org", name) for name in ("Anna", "Bruno")])
    building = threading.Thread(target=_in_a_thread, args=[migrated])
    with transaction.atomic():
        Game.objects.filter(pk=game.pk).update(phase="keep")
        building.start()
        wait_until(_waits, "the build to wait for this transaction")
        with ThreadPoolExecutor(1) as pool:
            pool.submit(_in_a_thread, lambda: Game.objects.create(**copied(game))).result(HANGS)
    building.join(HANGS)
    assert built()


def copied(game: Game) -> dict[str, Any]:
    moments = {"started_at": game.started_at, "moved_at": game.moved_at}
    return {"table": game.table, "number": 2, "players": 2, "first_condottiere": 0, **moments}


def _in_a_thread(act: Callable[[], object]) -> None:
    try:
        act()
    finally:
        connections.close_all()


def _waits() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITS)
        return cursor.fetchone() is not None
