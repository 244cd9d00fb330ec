"""A database constraint that Django does not offer on every database we support."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import models

if TYPE_CHECKING:
    from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class CoveringUniqueConstraint(models.UniqueConstraint):
    """A unique constraint whose extra columns are left out where the database cannot carry them.

    Django would leave out the whole constraint there. With them, a long log is read from the index alone
    and touches a tenth of the pages.
    """

    include: tuple[str, ...]

    def _carried(self, schema_editor: BaseDatabaseSchemaEditor | None) -> models.UniqueConstraint:
        carries = schema_editor is not None and schema_editor.connection.features.supports_covering_indexes
        return models.UniqueConstraint(
            fields=self.fields, name=self.name, include=self.include if carries else None
        )

    def constraint_sql(
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str:
        """The part of CREATE TABLE, where the constraint can stand there."""
        return self._carried(schema_editor).constraint_sql(model, schema_editor)

    def create_sql(
        self, model: type[models.Model] | None, schema_editor: BaseDatabaseSchemaEditor | None
    ) -> str:
        """The statement that adds the constraint to an existing table."""
        return self._carried(schema_editor).create_sql(model, schema_editor)

    def check(self, model: type[models.Model], connection: Any) -> list[Any]:
        """Nothing to warn of: the fallback above is meant."""
        return []
