"""How far somebody has read the talk is kept by circle (press.Following), not with the game."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("games", "0009_talk"), ("press", "0004_messages_into_circles")]

    operations = [migrations.RemoveField("seen", "message")]
