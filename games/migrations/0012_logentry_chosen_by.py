from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0011_takes_bots"),
    ]

    operations = [
        migrations.AddField(
            model_name="logentry",
            name="chosen_by",
            field=models.CharField(
                blank=True,
                choices=[
                    ("recruit", "Recruit"),
                    ("captain", "Captain"),
                    ("strategist", "Strategist"),
                    ("stand-in", "Stand In"),
                ],
                db_default="",
                default="",
                max_length=10,
            ),
        ),
    ]
