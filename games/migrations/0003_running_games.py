import django.db.models
from django.db import migrations

from accounts.online_indexes import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ("games", "0002_first_games"),
    ]

    operations = [
        AddIndexOnline(
            model_name="game",
            index=django.db.models.Index(
                fields=["id"], name="game_running", condition=django.db.models.Q(ended_at=None)
            ),
        ),
    ]
