"""Look at seasons whose sign-up is open when the reminder before its end is due.

A release without that reminder looks at them again, finds nothing to do, and waits for the end as before.
"""

from datetime import timedelta
from typing import Any

from django.db import migrations
from django.db.models import F

BEFORE_END, OPEN_FOR = timedelta(days=2), timedelta(days=1)


def look_earlier(apps: Any, _schema_editor: object) -> None:
    """Move the next look at each such season to the reminder."""
    seasons = apps.get_model("leagues", "Season").objects.filter(state="sign-up")
    long_enough = seasons.filter(signup_ends_at__gte=F("opens_at") + OPEN_FOR + BEFORE_END)
    long_enough.update(next_action_at=F("signup_ends_at") - BEFORE_END)


class Migration(migrations.Migration):
    atomic = False
    dependencies = (("leagues", "0018_final_events"),)

    operations = (migrations.RunPython(look_earlier, migrations.RunPython.noop),)
