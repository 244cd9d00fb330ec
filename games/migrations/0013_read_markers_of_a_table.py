import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0012_logentry_chosen_by"),
    ]

    operations = [
        # Nothing changes in the database: it is a name for queries.
        migrations.AlterField(
            model_name="readmarker",
            name="table",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="read_markers",
                to="games.table",
            ),
        ),
    ]
