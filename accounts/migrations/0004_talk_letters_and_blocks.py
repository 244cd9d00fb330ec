"""Letters about talk come by a rhythm of their own; people may block each other."""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.present


def keep_what_was_chosen(apps: Any, schema_editor: Any) -> None:
    apps.get_model("accounts", "User").objects.filter(wants_talk=False).update(talk_letters="never")


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_time_and_letters")]

    operations = [
        migrations.RenameField("user", "talk_letters", "wants_talk"),
        migrations.AddField(
            model_name="user",
            name="talk_letters",
            field=models.CharField(
                choices=[
                    ("at once", "Soon after it was written"),
                    ("batched", "What was written within some minutes in one letter"),
                    ("digest", "Once a day, at the hour of the daily letter"),
                    ("never", "Never"),
                ],
                default="at once",
                max_length=7,
                verbose_name="letters about what is written at tables",
            ),
        ),
        migrations.RunPython(keep_what_was_chosen, migrations.RunPython.noop),
        migrations.RemoveField("user", "wants_talk"),
        migrations.CreateModel(
            name="Block",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("since", models.DateTimeField(default=accounts.present.now, editable=False)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="blocks",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "whom",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name": "block",
                "verbose_name_plural": "blocks",
                "constraints": [models.UniqueConstraint(fields=("by", "whom"), name="block_once")],
            },
        ),
    ]
