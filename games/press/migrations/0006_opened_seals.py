# An opened letter knows the message with its words.

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("press", "0005_messages_have_circles"),
    ]

    operations = [
        migrations.AddField(
            model_name="seal",
            name="opened",
            field=models.OneToOneField(
                blank=True,
                null=True,
                on_delete=models.SET_NULL,
                related_name="opened_seal",
                to="press.message",
            ),
        ),
    ]
