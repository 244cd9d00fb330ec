from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0003_running_games"),
    ]

    operations = [
        migrations.AddField(
            model_name="game",
            name="copied",
            field=models.JSONField(blank=True, null=True),
        ),
    ]
