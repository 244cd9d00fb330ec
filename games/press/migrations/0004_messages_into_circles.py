"""Every message of a table goes into the table's own circle, with its number there; so does what was read."""

from typing import Any

from django.db import migrations
from django.db.models import F, Window
from django.db.models.functions import RowNumber


def into_circles(apps: Any, schema_editor: Any) -> None:
    message, circle = apps.get_model("press", "Message"), apps.get_model("press", "Circle")
    following, seen = apps.get_model("press", "Following"), apps.get_model("games", "Seen")
    tables = message.objects.values_list("table", flat=True).order_by().distinct()
    made = circle.objects.bulk_create([circle(table_id=table, kind="table") for table in tables])
    circles = {one.table_id: one.pk for one in made}
    order = Window(RowNumber(), partition_by=F("table"), order_by=F("pk").asc())
    numbers = {}
    for pk, table, number in message.objects.annotate(n=order).values_list("pk", "table", "n").iterator():
        numbers[pk] = number
        message.objects.filter(pk=pk).update(circle=circles[table], number=number)
        circle.objects.filter(pk=circles[table]).update(newest=number)
    for row in seen.objects.filter(table__in=circles).iterator():
        read = message.objects.filter(table=row.table_id, pk__lte=row.message).order_by("-pk").first()
        if read is not None:
            following.objects.create(
                circle_id=circles[row.table_id], user_id=row.user_id, read_to=read.number
            )


class Migration(migrations.Migration):
    dependencies = [("press", "0003_talk"), ("games", "0009_talk")]

    operations = [migrations.RunPython(into_circles)]
