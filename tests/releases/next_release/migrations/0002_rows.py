"""Rows in it. A process with KILLED_IN_MIGRATION ends in between; one with FAILS_IN_MIGRATION fails."""

import os
import signal

from django.db import migrations


def write(apps, schema_editor):
    sights = apps.get_model("next_release", "Sight").objects
    sights.create(name="Duomo")
    if os.environ.get("KILLED_IN_MIGRATION"):
        os.kill(os.getpid(), signal.SIGKILL)
    if os.environ.get("FAILS_IN_MIGRATION"):
        raise ValueError("there are no sights")
    sights.create(name="Forum")


class Migration(migrations.Migration):
    dependencies = [("next_release", "0001_initial")]
    operations = [migrations.RunPython(write, migrations.RunPython.noop)]
