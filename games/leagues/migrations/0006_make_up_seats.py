from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0005_make_up_events"),
    ]

    operations = [
        migrations.AlterField(
            model_name="openseat",
            name="why",
            field=models.CharField(
                choices=[
                    ("away", "The player is away"),
                    ("withdrawn", "The player withdrew"),
                    ("expelled", "The player was expelled"),
                    ("left", "The player gave up the seat"),
                    ("make-up", "A table for players who were away"),
                ],
                max_length=9,
            ),
        ),
    ]
