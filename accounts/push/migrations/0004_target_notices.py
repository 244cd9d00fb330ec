from django.db import migrations, models
from django.db.models.deletion import CASCADE

import accounts.clock


class Migration(migrations.Migration):
    dependencies = [
        ("push", "0003_notice_targets"),
    ]

    operations = [
        migrations.CreateModel(
            name="TargetNotice",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=200)),
                ("context", models.JSONField(default=dict)),
                ("not_before", models.DateTimeField()),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("leased_until", models.DateTimeField(blank=True, null=True)),
                ("done_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(default=accounts.clock.now, editable=False)),
                ("kind", models.CharField(max_length=12)),
                ("answer", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "problem",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("no answer", "No answer in time, or no connection"),
                            ("not public", "Not contacted: the address doesn’t lead to a public host"),
                            ("broken", "Not an answer that we understand"),
                        ],
                        max_length=10,
                    ),
                ),
                ("tried_at", models.DateTimeField(blank=True, null=True)),
                (
                    "target",
                    models.ForeignKey(on_delete=CASCADE, related_name="notices", to="push.noticetarget"),
                ),
            ],
            options={
                "verbose_name": "notification to a target",
                "verbose_name_plural": "notifications to targets",
                "indexes": [
                    models.Index(
                        condition=models.Q(("done_at", None)),
                        fields=["not_before", "id"],
                        name="target_notice_due",
                    ),
                    models.Index(fields=["created_at"], name="target_notice_by_age"),
                ],
                "constraints": [models.UniqueConstraint(fields=("target", "key"), name="target_told_once")],
            },
        ),
    ]
