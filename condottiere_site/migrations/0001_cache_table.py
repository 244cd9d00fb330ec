"""Creates the cache's table, so that `migrate` is all a new database needs."""

from typing import ClassVar

from django.conf import settings
from django.core.management import call_command
from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def create(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


def drop(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    table = schema_editor.quote_name(str(settings.CACHES["default"]["LOCATION"]))
    schema_editor.execute(f"DROP TABLE {table}")


class Migration(migrations.Migration):
    dependencies: ClassVar[list[tuple[str, str]]] = []
    operations: ClassVar = [migrations.RunPython(create, drop)]
