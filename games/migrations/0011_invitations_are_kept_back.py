from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("games", "0010_talk_is_followed_elsewhere"),)

    operations = (
        migrations.AddField(
            model_name="invitation",
            name="is_kept_back",
            field=models.BooleanField(default=False),
        ),
    )
