"""From here on a message knows its circle, and its table by that."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("press", "0004_messages_into_circles")]

    operations = [
        migrations.AlterModelOptions(
            name="message",
            options={"ordering": ("circle", "number")},
        ),
        migrations.RemoveIndex(
            model_name="message",
            name="message_board",
        ),
        migrations.RemoveField(
            model_name="message",
            name="table",
        ),
        migrations.AlterField(
            model_name="message",
            name="circle",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages",
                to="press.circle",
            ),
        ),
        migrations.AlterField(
            model_name="message",
            name="number",
            field=models.PositiveIntegerField(),
        ),
        migrations.AddConstraint(
            model_name="message",
            constraint=models.UniqueConstraint(fields=("circle", "number"), name="message_number_once"),
        ),
    ]
