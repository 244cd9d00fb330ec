"""What a migration may do while processes of the last release serve: only what is known to be safe.

django-migration-linter does not fit: it searches the SQL for words. So it accepts a column without a default
in Python, and knows no operation of our own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import migrations
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import CharField, Field, GeneratedField, ManyToManyField, Value
from django.db.models.functions import Now

from accounts import clock
from accounts.online_indexes import AddIndexOnline

LATER = "The last release uses it. Remove it from the code in one release, from the database in the next."
BROKEN = "It holds up the table, and the last release may write rows that break it."
OF_PYTHON_ALONE = set(Field.non_db_attrs) - {"db_column"} | {"default"}

ALONE = (AddIndexOnline, migrations.RunPython, migrations.RunSQL)
ALWAYS_SAFE = (
    migrations.CreateModel,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    migrations.AlterConstraint,  # its messages alone
    migrations.RemoveIndex,
    migrations.RenameIndex,
    AddIndexOnline,
)
NEVER_SAFE: dict[type[Operation], str] = {
    migrations.AddIndex: "It holds up all writes. Use accounts.online_indexes.AddIndexOnline.",
    migrations.AddConstraint: BROKEN,
    migrations.RemoveConstraint: "The last release may rely on it. Remove it one release later.",
    migrations.RemoveField: LATER,
    migrations.DeleteModel: LATER,
    migrations.RenameField: f"It removes a name. Add a new column. {LATER}",
    migrations.RenameModel: f"It removes a name. {LATER}",
    migrations.AlterModelTable: f"It removes a name. {LATER}",
    migrations.AlterModelTableComment: "It says nothing that the code can't say.",
    migrations.AlterIndexTogether: "It holds up all writes. Use accounts.online_indexes.AddIndexOnline.",
    migrations.AlterUniqueTogether: BROKEN,
    migrations.AlterOrderWithRespectTo: "It adds a column without a default in the database.",
    migrations.RunSQL: "Only a person can see what it locks and breaks.",
}


def complaints(migration: migrations.Migration, before: ProjectState) -> list[str]:
    """Return what is wrong with a migration that begins with this state, a sentence for each fault."""
    return list(_complaints(migration, before.clone()))


def _complaints(migration: migrations.Migration, state: ProjectState) -> Iterator[str]:
    yield from _of_transactions(migration)
    altered = set()
    for operation in migration.operations:
        for sentence in _of_operation(operation, migration.app_label, state):
            yield f"{operation.describe()}: {sentence}"
        if isinstance(operation, migrations.AddField) or _changed(operation, migration.app_label, state):
            altered.add(operation.model_name_lower)
        operation.state_forwards(migration.app_label, state)
    if len(altered) > 1:
        yield "It alters several tables in one transaction, which can end in a deadlock. Write one for each."


def _of_transactions(migration: migrations.Migration) -> Iterator[str]:
    alone = [operation for operation in migration.operations if isinstance(operation, ALONE)]
    if not migration.atomic and len(migration.operations) > 1:
        yield "It has several operations and no transaction, so it can't be repeated after an interruption."
    if alone and (migration.atomic or len(migration.operations) > 1):
        yield f"{alone[0].describe()}: It must be alone in a migration with `atomic = False`."


def _of_operation(operation: Operation, app: str, state: ProjectState) -> Iterable[str]:
    kind = type(operation)
    if kind in NEVER_SAFE:
        return [NEVER_SAFE[kind]]
    if kind in ALWAYS_SAFE:
        return []
    if kind in LOOKED_AT:
        return LOOKED_AT[kind](operation, app, state)
    return ["It isn't known to be safe."]


def _of_added_field(operation: Any, _app: str, _state: ProjectState) -> Iterator[str]:
    field = operation.field
    if isinstance(field, ManyToManyField):
        return  # a table of its own
    if isinstance(field, GeneratedField):
        yield "It rewrites the whole table."
        return
    yield from _of_default(field)
    if field.unique or field.db_index:
        yield (
            "Its index holds up all writes. Add the column with unique=False and db_index=False, "
            "then the index by AddIndexOnline."
        )


def _of_default(field: Field) -> Iterator[str]:
    has_default, has_db_default = field.has_default(), field.has_db_default()
    if has_default != has_db_default:
        missing = "db_default" if has_default else "default"
        yield f"Give `default` and `db_default` together. It has no `{missing}`."
    elif not has_default and not field.null:
        yield "The last release writes no value. Give `default` and `db_default` together, or `null=True`."
    elif has_default and not _is_same(field):
        yield "`default` and `db_default` must be the same constant, or `clock.now` and `Now()`."


def _is_same(field: Field) -> bool:
    in_database, default = field.db_default, field.default
    if isinstance(in_database, Now):
        return default is clock.now
    value = in_database.value if isinstance(in_database, Value) else in_database
    return not hasattr(value, "resolve_expression") and bool(value == field.get_default())


def _of_altered_field(operation: Any, app: str, state: ProjectState) -> Iterator[str]:
    before, after = state.models[app, operation.model_name_lower].fields[operation.name], operation.field
    changed = _changed(operation, app, state)
    if before.deconstruct()[1] != after.deconstruct()[1]:
        yield "It changes the column's type. Add a new column."
        return
    if "null" in changed:
        yield "The last release may write NULL." if before.null else "The last release may not expect NULL."
    if "max_length" in changed and isinstance(before, CharField) and after.max_length > before.max_length:
        changed -= {"max_length"}
    if after.has_db_default():
        changed -= {"db_default"}
        yield from _of_default(after)
    if changed - {"null"}:
        what = ", ".join(sorted(changed - {"null"}))
        yield f"It changes {what} of a column that the last release uses. Add a new column."


def _changed(operation: Operation, app: str, state: ProjectState) -> set[str]:
    """Return what an altered field changes in the database; nothing for other operations."""
    if not isinstance(operation, migrations.AlterField):
        return set()
    before = state.models[app, operation.model_name_lower].fields[operation.name]
    (_, old_kind, _, old), (_, new_kind, _, new) = before.deconstruct(), operation.field.deconstruct()
    names = {name for name in old.keys() | new.keys() if old.get(name, ...) != new.get(name, ...)}
    return names - OF_PYTHON_ALONE | ({"type"} if old_kind != new_kind else set())


def _of_python(operation: Any, _app: str, _state: ProjectState) -> Iterator[str]:
    if operation.reverse_code is None:
        yield "Give `reverse_code`."


def _of_separated(operation: Any, app: str, state: ProjectState) -> Iterator[str]:
    """Check what the database gets. A column that only the models lose must be filled without them."""
    for inner in operation.database_operations:
        yield from _of_operation(inner, app, state)
    for inner in operation.state_operations:
        if isinstance(inner, migrations.RemoveField):
            field = state.models[app, inner.model_name_lower].fields[inner.name]
            if not field.null and not field.has_db_default():
                yield f"Nothing would fill the column {inner.name}. Give it a `db_default` first."
        elif not isinstance(inner, migrations.DeleteModel):
            yield f"{inner.describe()}: The database must get what the models get."


LOOKED_AT: dict[type[Operation], Callable[[Any, str, ProjectState], Iterable[str]]] = {
    migrations.AddField: _of_added_field,
    migrations.AlterField: _of_altered_field,
    migrations.RunPython: _of_python,
    migrations.SeparateDatabaseAndState: _of_separated,
}
