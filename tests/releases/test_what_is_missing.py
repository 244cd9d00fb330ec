"""The site's own tables are complete; without any one of their parts they aren't."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.test import override_settings

from condottiere_site import __version__, database_contents
from condottiere_site import database_state as looked_at
from condottiere_site.database_state import BEFORE_RELEASES, FIRST, GAMES, RESTORING, database_state
from condottiere_site.key_digest import digest_of_key, is_key_of, note_key
from condottiere_site.models import Installation

pytestmark = [pytest.mark.django_db, pytest.mark.sqlite]


@pytest.fixture
def found() -> Iterator[Any]:
    """What is in the test's own database."""
    with override_settings(MIGRATION_MODULES={}):
        yield database_contents.read_contents()


@pytest.fixture
def problem_of(found: Any) -> Any:
    """What is said of a database in which something else is found."""
    loader = MigrationLoader(None)
    judge = looked_at._Judge(found, loader)

    def said(**other: Any) -> str:
        if {"applied", "version"} & set(other):
            return looked_at._Judge(replace(found, **other), loader).problem()
        judge._found = replace(found, **other)  # the models stay, which take a while
        return judge.problem()

    return said


def test_the_tables_of_this_release_are_served(found: Any) -> None:
    state = database_state()
    assert (state.problem, state.serving_problem, state.pending) == ("", "", frozenset())


def test_without_any_one_table_column_or_index_it_is_not_complete(found: Any, problem_of: Any) -> None:
    models = [model for model in apps.get_models(include_auto_created=True) if model._meta.managed]
    for model in models:
        table = model._meta.db_table
        assert f"lacks the table {table}." in problem_of(tables=found.tables - {table})
        for field in model._meta.local_concrete_fields:
            left = found.columns - {(table, field.column)}
            assert f"lacks the column {field.column} of {table}." in problem_of(columns=left)
        for index in model._meta.indexes:
            assert f"lacks the index {index.name} of {table}." in problem_of(
                indexes=found.indexes - {index.name}
            )


def test_without_keys_it_is_not_complete(found: Any, problem_of: Any) -> None:
    """On SQLite a table has them from the start."""
    assert (found.keys is None) == (connection.vendor == "sqlite")
    for table, (primary, foreign) in (found.keys or {}).items():
        if table in {model._meta.db_table for model in apps.get_models()}:
            assert f"lacks the primary key of {table}." in problem_of(keys=found.keys | {table: (0, foreign)})
            if foreign:
                fewer = problem_of(keys=found.keys | {table: (primary, foreign - 1)})
                assert f"lacks a foreign key of {table}." in fewer


def test_without_the_record_of_a_migration_it_is_not_complete_or_behind(
    found: Any, problem_of: Any, long: bool
) -> None:
    """The last migrations of an app may be those that are yet to come."""
    nodes = MigrationLoader(None).graph.node_map
    followed = sorted(migration for migration in found.applied if nodes[migration].children)
    assert found.applied > set(followed)
    assert len(followed) > 50
    for migration in followed[:: 1 if long else 12]:
        if migration != FIRST:
            problem = problem_of(applied=found.applied - {migration})
            assert "lacks the record of the migration" in problem, migration


def test_what_tells_another_release_or_program(found: Any, problem_of: Any) -> None:
    older = found.applied - {FIRST} | {BEFORE_RELEASES}
    before = found.tables - {"condottiere_site_installation"}
    assert "made before release 0.1.0" in problem_of(applied=older, tables=before)
    assert "made before release 0.1.0" in problem_of(
        applied=older - {BEFORE_RELEASES}, tables=frozenset(GAMES)
    )
    assert "newer release (9.0.0)" in problem_of(version="9.0.0")
    assert "newer release, and" in problem_of(applied=found.applied | {("games", "0099_maps")})
    foreign = {"applied": frozenset({("blog", "0001_initial")}), "tables": frozenset({"blog_post"})}
    assert "another program: it has a table blog_post" in problem_of(**foreign)
    assert "A restore into this database was interrupted" in problem_of(tables=found.tables | {RESTORING})
    assert problem_of(tables=found.tables | {"made_by_hand"}) == ""


def test_another_key_is_a_problem_unless_any_will_do(
    found: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = replace(found, key_digest=digest_of_key())
    monkeypatch.setattr(looked_at, "read_contents", lambda: noted)
    assert database_state().problem == ""
    settings.SECRET_KEY = "another key than the one that was noted"
    state = database_state()
    assert "isn't the one that this database was used with" in state.problem
    assert state.serving_problem == state.problem
    assert database_state(with_any_key=True).serving_problem == ""


def test_a_key_is_noted_once_and_replaced_only_on_purpose(settings: Any) -> None:
    Installation.objects.create(pk=1, version=__version__)
    note_key()
    first = Installation.objects.get().key_digest
    assert is_key_of(first)
    settings.SECRET_KEY = "another key than the one that was noted"
    note_key()
    assert Installation.objects.get().key_digest == first
    assert not is_key_of(first)
    note_key(replacing=True)
    assert is_key_of(Installation.objects.get().key_digest)
