"""Letters of every move know by themselves which steps they tell."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("games", "0005_clocks")]

    operations = [migrations.RemoveField(model_name="seat", name="told_step")]
