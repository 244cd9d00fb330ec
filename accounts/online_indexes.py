"""The migration operation that adds an index while the site serves. Every app may use it.

A plain `AddIndex` on PostgreSQL holds up all writes to the table until the index is built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import migrations
from django.db.migrations.state import ProjectState

if TYPE_CHECKING:
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor
    from django.db.models import Model

INVALID = """
SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = pg_index.indexrelid
WHERE pg_index.indrelid = to_regclass(%s) AND pg_class.relname = %s AND NOT pg_index.indisvalid
"""


class AddIndexOnline(migrations.AddIndex):
    """Add an index: concurrently on PostgreSQL, plainly on SQLite, where the site stands still anyway.

    It must be alone in a migration with `atomic = False`. It can be repeated after any interruption: a
    half-built index is dropped and built again, a finished one stays.
    """

    atomic = False

    def describe(self) -> str:
        """Return what it does, for the output of `migrate`."""
        return f"Add index {self.index.name} to {self.model_name} while the site serves"

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Build the index, unless an earlier run has finished it."""
        for model in self._models(app_label, schema_editor, to_state):
            how = _how(schema_editor)
            if self._is_invalid(model, schema_editor):
                schema_editor.remove_index(model, self.index, **how)
            if not self._exists(model, schema_editor):
                schema_editor.add_index(model, self.index, **how)

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Remove the index, if it is there."""
        for model in self._models(app_label, schema_editor, from_state):
            how = _how(schema_editor)
            if self._exists(model, schema_editor):
                schema_editor.remove_index(model, self.index, **how)

    def _models(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, state: ProjectState
    ) -> list[type[Model]]:
        """Return the index's model, if it has its table in this database."""
        model = state.apps.get_model(app_label, self.model_name)
        return [model] if self.allow_migrate_model(schema_editor.connection.alias, model) else []

    def _is_invalid(self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor) -> bool:
        """Return whether an interrupted run has left a half-built index: PostgreSQL keeps it unused."""
        if schema_editor.connection.vendor != "postgresql":
            return False
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(INVALID, [schema_editor.quote_name(model._meta.db_table), self.index.name])
            return cursor.fetchone() is not None

    def _exists(self, model: type[Model], schema_editor: BaseDatabaseSchemaEditor) -> bool:
        connection = schema_editor.connection
        with connection.cursor() as cursor:
            return self.index.name in connection.introspection.get_constraints(cursor, model._meta.db_table)


def _how(schema_editor: BaseDatabaseSchemaEditor) -> dict[str, bool]:
    """Return the schema editor's options for this database. Raises RuntimeError inside a transaction."""
    if schema_editor.connection.in_atomic_block:
        raise RuntimeError("AddIndexOnline must be in a migration with `atomic = False`.")
    return {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}
