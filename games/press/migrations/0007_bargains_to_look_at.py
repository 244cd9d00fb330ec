"""The bargains that a tick has to look at are few, however many there have been."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("press", "0006_opened_seals")]

    operations = [
        migrations.RemoveIndex(model_name="bargain", name="bargain_open"),
        migrations.AddIndex(
            model_name="bargain",
            index=models.Index(
                condition=models.Q(("looked_step__lt", 2147483647)), fields=["game"], name="bargain_open"
            ),
        ),
    ]
