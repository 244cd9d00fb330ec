"""Players may get no emails about their turns."""

from typing import ClassVar

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies: ClassVar = [("accounts", "0005_sign_in_codes")]

    operations: ClassVar = [
        migrations.AlterField(
            model_name="user",
            name="rhythm",
            field=models.CharField(
                choices=[
                    ("at once", "One letter for each question, at once"),
                    ("batched", "What was asked within some minutes in one letter"),
                    ("digest", "One letter a day with all games that wait"),
                    ("never", "No emails about turns and deadlines"),
                ],
                default="at once",
                max_length=8,
                verbose_name="when letters come",
            ),
        ),
    ]
