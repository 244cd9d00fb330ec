"""Letters about talk that wait to be sent name the messages they tell; they named the first alone."""

from typing import Any

from django.db import migrations


def name_messages(apps: Any, schema_editor: Any) -> None:
    letter, message = apps.get_model("post", "Letter"), apps.get_model("press", "Message")
    until: dict[tuple[int, int], int] = {}
    for row in letter.objects.filter(kind="message", about__has_key="table").order_by("-pk"):
        table, since = row.about["table"], row.about["since"]
        told = message.objects.filter(circle__table=table, circle__slug="", pk__gte=since)
        told = told.exclude(author=row.to_user_id)
        before = until.get((table, row.to_user_id))
        if before is not None:
            told = told.filter(pk__lt=before)
        until[table, row.to_user_id] = since
        if row.state == "queued":
            numbers = list(told.order_by("number").values_list("circle", "number"))
            row.about = {"talk": {str(numbers[0][0]): [number for _, number in numbers]} if numbers else {}}
            row.save(update_fields=["about"])


class Migration(migrations.Migration):
    dependencies = [
        ("press", "0007_bargains_to_look_at"),
        ("post", "0005_letter_subjects"),
    ]

    operations = [migrations.RunPython(name_messages, migrations.RunPython.noop)]
