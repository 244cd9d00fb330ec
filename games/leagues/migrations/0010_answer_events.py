from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0009_concerns"),
    ]

    operations = [
        migrations.AlterField(
            model_name="auditevent",
            name="kind",
            field=models.CharField(
                choices=[
                    ("founded", "Founded"),
                    ("changed", "Changed"),
                    ("organiser", "Organiser"),
                    ("no organiser", "No Organiser"),
                    ("planned", "Planned"),
                    ("replanned", "Replanned"),
                    ("opened", "Opened"),
                    ("invited", "Invited"),
                    ("longer", "Sign Up Longer"),
                    ("asked", "Asked"),
                    ("drawn", "Drawn"),
                    ("cancelled", "Cancelled"),
                    ("moved", "Moved"),
                    ("withdrew", "Withdrew"),
                    ("expelled", "Expelled"),
                    ("substituted", "Substituted"),
                    ("left to bot", "Left To Bot"),
                    ("filled", "Filled"),
                    ("round drawn", "Round Drawn"),
                    ("skipped", "Skipped"),
                    ("not skipped", "Not Skipped"),
                    ("left out", "Left Out"),
                    ("made up", "Made Up"),
                    ("extended", "Extended"),
                    ("adjudicated", "Adjudicated"),
                    ("awarded", "Awarded"),
                    ("unawarded", "Unawarded"),
                    ("reminded", "Reminded"),
                    ("replaced", "Replaced"),
                    ("wrote", "Wrote"),
                    ("answered", "Answered"),
                    ("paused", "Paused"),
                    ("resumed", "Resumed"),
                    ("closed", "Closed"),
                ],
                max_length=12,
            ),
        ),
    ]
