"""Creates the cache's table and the row's that names the release; a database without this is older than 0.1.0."""

from typing import ClassVar

from django.conf import settings
from django.core.management import call_command
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps


def create(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


def drop(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    table = schema_editor.quote_name(str(settings.CACHES["default"]["LOCATION"]))
    schema_editor.execute(f"DROP TABLE {table}")


class Migration(migrations.Migration):
    initial = True
    dependencies: ClassVar[list[tuple[str, str]]] = []
    # First of all: where the others were begun, this one tells a release's database from an older one.
    run_before: ClassVar = [
        (label, "0001_initial") for label in ("accounts", "mail", "push", "games", "chat", "leagues")
    ]
    operations: ClassVar = [
        migrations.RunPython(create, drop),
        migrations.CreateModel(
            name="Installation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("version", models.CharField(max_length=20)),
                ("previous_version", models.CharField(blank=True, max_length=20)),
                ("restored_at", models.DateTimeField(blank=True, null=True)),
            ],
        ),
    ]
