"""Each migration newer than 0.1.0 may run while processes of the last release serve (CONTRIBUTING.md)."""

from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations import operations as django_operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.operations.fields import FieldOperation
from django.db.migrations.operations.models import IndexOperation, ModelOperation, ModelOptionOperation
from django.db.migrations.state import ModelState, ProjectState
from django.db.models.functions import Now, Random

from accounts import clock
from accounts.online_indexes import AddIndexOnline
from tests.upgrade.migration_rules import ALWAYS_SAFE, LOOKED_AT, NEVER_SAFE, complaints

OURS = ("accounts", "mail", "push", "games", "chat", "leagues", "condottiere_site")
OF_THE_FIRST_RELEASE = {(app, "0001_initial") for app in OURS} | {("condottiere_site", "0001_cache_table")}
EXAMINED: dict[tuple[str, str], str] = {}  # a migration that breaks a rule, and why it may

pytestmark = pytest.mark.once


def test_new_migrations_may_run_while_the_last_release_serves(settings: Any) -> None:
    settings.MIGRATION_MODULES = {}  # the tests make their database without migrations
    loader = MigrationLoader(None)
    assert {app for app, _name in OF_THE_FIRST_RELEASE & loader.disk_migrations.keys()} == set(OURS)
    found = [
        f"{app}.{name}: {complaint}"
        for app, name in sorted(loader.disk_migrations.keys() - OF_THE_FIRST_RELEASE - EXAMINED.keys())
        if app in OURS
        for complaint in complaints(
            loader.disk_migrations[app, name], loader.project_state((app, name), False)
        )
    ]
    assert found == []


def before() -> ProjectState:
    state = ProjectState()
    fields = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", models.CharField(max_length=20)),
        ("size", models.IntegerField(default=3, db_default=3)),
        ("note", models.TextField(null=True)),
    ]
    state.add_model(ModelState("games", "Chair", fields))
    state.add_model(ModelState("games", "Desk", [("id", models.BigAutoField(primary_key=True))]))
    return state


def judged(*operations: Operation, atomic: bool = True) -> list[str]:
    migration = migrations.Migration("0002_planted", "games")
    migration.operations, migration.atomic = list(operations), atomic
    return complaints(migration, before())


def added(field: models.Field) -> Operation:
    return migrations.AddField("chair", "colour", field)


def altered(name: str, field: models.Field) -> Operation:
    return migrations.AlterField("chair", name, field)


def nothing(apps: Any, schema_editor: Any) -> None:
    """Change no rows."""


INDEX = models.Index(fields=["name"], name="chair_name")
UNIQUE = models.UniqueConstraint(fields=["name"], name="chair_name_once")
FAULTS: dict[str, Operation] = {
    "no default": added(models.IntegerField()),
    "no default in the database": added(models.IntegerField(default=1)),
    "no default in Python": added(models.IntegerField(db_default=1)),
    "a nullable column with half a default": added(models.IntegerField(default=1, null=True)),
    "two different defaults": added(models.IntegerField(default=1, db_default=2)),
    "a default that the database computes": added(models.FloatField(default=1.0, db_default=Random())),
    "an index with the column": added(models.IntegerField(default=1, db_default=1, db_index=True)),
    "a unique column": added(models.IntegerField(null=True, unique=True)),
    "the index of a foreign key": added(models.ForeignKey("games.Desk", models.CASCADE, null=True)),
    "a one-to-one field": added(models.OneToOneField("games.Desk", models.CASCADE, null=True)),
    "a computed column": added(
        models.GeneratedField(
            expression=models.F("size"), output_field=models.IntegerField(), db_persist=True
        )
    ),
    "a plain index": migrations.AddIndex("chair", INDEX),
    "a unique constraint": migrations.AddConstraint("chair", UNIQUE),
    "a constraint removed": migrations.RemoveConstraint("chair", "chair_name_once"),
    "a column dropped": migrations.RemoveField("chair", "name"),
    "a column renamed": migrations.RenameField("chair", "name", "title"),
    "a model dropped": migrations.DeleteModel("chair"),
    "a model renamed": migrations.RenameModel("chair", "seat"),
    "a table renamed": migrations.AlterModelTable("chair", "seats"),
    "another type": altered("size", models.TextField(default=3, db_default=3)),
    "a shorter text": altered("name", models.CharField(max_length=19)),
    "no more NULL": altered("note", models.TextField(default="", db_default="")),
    "NULL from now on": altered("name", models.CharField(max_length=20, null=True)),
    "an existing column made unique": altered("name", models.CharField(max_length=20, unique=True)),
    "an existing column indexed": altered("name", models.CharField(max_length=20, db_index=True)),
    "another column": altered("name", models.CharField(max_length=20, db_column="title")),
    "only one default changed": altered("size", models.IntegerField(default=4, db_default=3)),
    "SQL": migrations.RunSQL("UPDATE games_chair SET size = 4", migrations.RunSQL.noop),
    "Python in a transaction": migrations.RunPython(nothing, nothing),
    "an online index in a transaction": AddIndexOnline("chair", INDEX),
    "the models alone get a column": migrations.SeparateDatabaseAndState(
        state_operations=[added(models.IntegerField(null=True))]
    ),
    "the models alone lose a column that must be filled": migrations.SeparateDatabaseAndState(
        state_operations=[migrations.RemoveField("chair", "name")]
    ),
    "a column dropped inside": migrations.SeparateDatabaseAndState([migrations.RemoveField("chair", "note")]),
}
SAFE: dict[str, Operation] = {
    "both defaults": added(models.IntegerField(default=1, db_default=1)),
    "a moment": added(models.DateTimeField(default=clock.now, db_default=Now())),
    "a list": added(models.JSONField(default=list, db_default=[])),
    "NULL": added(models.IntegerField(null=True)),
    "a foreign key": added(models.ForeignKey("games.Desk", models.CASCADE, null=True, db_index=False)),
    "a table between": added(models.ManyToManyField("games.Desk")),
    "a new table": migrations.CreateModel("Lamp", [("id", models.BigAutoField(primary_key=True))]),
    "an index dropped": migrations.RemoveIndex("chair", "chair_name"),
    "a longer text": altered("name", models.CharField(max_length=21)),
    "other choices": altered("name", models.CharField(max_length=20, choices=[("a", "A")])),
    "another default": altered("size", models.IntegerField(default=4, db_default=4)),
    "the models alone lose a column": migrations.SeparateDatabaseAndState(
        state_operations=[migrations.RemoveField("chair", "size")]
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault: str) -> None:
    assert judged(FAULTS[fault]) != []


@pytest.mark.parametrize("name", SAFE)
def test_what_is_safe_passes(name: str) -> None:
    state = before()
    state.models["games", "chair"].options["indexes"] = [INDEX]
    migration = migrations.Migration("0002_safe", "games")
    migration.operations = [SAFE[name]]
    assert complaints(migration, state) == []


def test_what_runs_outside_a_transaction_is_alone() -> None:
    index, column = AddIndexOnline("chair", INDEX), added(models.IntegerField(null=True))
    python = migrations.RunPython(nothing, nothing)
    assert judged(index, atomic=False) == []
    assert judged(python, atomic=False) == []
    assert judged(migrations.RunPython(nothing), atomic=False) != []
    assert judged(index, column, atomic=False) != []
    assert judged(python, column, atomic=False) != []
    assert judged(column, migrations.AlterModelOptions("chair", {}), atomic=False) != []


def test_one_migration_alters_one_table() -> None:
    other = migrations.AddField("desk", "colour", models.IntegerField(null=True))
    label = altered("name", models.CharField("the name", max_length=20))
    assert judged(other, label) == []
    assert judged(other, added(models.IntegerField(null=True))) != []


def test_every_operation_of_django_is_judged() -> None:
    named = {getattr(django_operations, name) for name in django_operations.__all__}
    kinds = {kind for kind in named if isinstance(kind, type)}
    bases = {FieldOperation, IndexOperation, ModelOperation, ModelOptionOperation}
    assert kinds - bases == {*ALWAYS_SAFE, *NEVER_SAFE, *LOOKED_AT} - {AddIndexOnline}
