"""Tell time zones that people chose from those they were given; any zone but the site's was chosen."""

from django.apps.registry import Apps
from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def mark_chosen(apps: Apps, _editor: BaseDatabaseSchemaEditor) -> None:
    users = apps.get_model("accounts", "User").objects
    users.exclude(time_zone=settings.TIME_ZONE).update(time_zone_chosen=True)


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_initial")]

    operations = [
        migrations.AddField(
            "user",
            "time_zone_chosen",
            models.BooleanField(default=False, verbose_name="chose a time zone"),
        ),
        migrations.RunPython(mark_chosen, migrations.RunPython.noop),
    ]
