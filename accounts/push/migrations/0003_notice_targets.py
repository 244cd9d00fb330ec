from django.conf import settings
from django.db import migrations, models
from django.db.models.deletion import CASCADE

import accounts.clock


class Migration(migrations.Migration):
    dependencies = [
        ("push", "0002_apostrophes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="NoticeTarget",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(blank=True, max_length=40)),
                (
                    "service",
                    models.CharField(
                        choices=[
                            ("discord", "Discord"),
                            ("slack", "Slack"),
                            ("ntfy", "ntfy"),
                            ("webhook", "JSON for your own program"),
                        ],
                        max_length=7,
                    ),
                ),
                ("name", models.CharField(max_length=60)),
                ("endpoint", models.CharField(max_length=500)),
                ("secret", models.CharField(blank=True, max_length=200)),
                ("kinds", models.JSONField(default=list)),
                ("only_source", models.CharField(blank=True, max_length=160)),
                ("since", models.DateTimeField(default=accounts.clock.now, editable=False)),
                ("failed_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("failures", models.PositiveSmallIntegerField(default=0, editable=False)),
                ("off_at", models.DateTimeField(blank=True, editable=False, null=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=CASCADE, related_name="notice_targets", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "verbose_name": "target of notifications",
                "verbose_name_plural": "targets of notifications",
                "ordering": ["pk"],
                "indexes": [
                    models.Index(
                        condition=models.Q(("subject", ""), _negated=True),
                        fields=["subject"],
                        name="target_of_subject",
                    )
                ],
            },
        ),
    ]
