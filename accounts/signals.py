"""Signals that accounts sends and the apps above it receive; their AppConfig.ready connects the receivers.

Each is sent with `send`, and those of changes in their transaction: a receiver that raises undoes it.
"""

from django.dispatch import Signal

# A person's working hours have changed. Sent with user, hours_before and now.
# Receivers lock every clock that counts by these hours, or may start to at that moment.
hours_changed = Signal()

# A person may have changed when they are reminded. Sent with user and now.
reminders_changed = Signal()

# A person may have changed how often they get emails. Sent with user and now.
frequency_changed = Signal()

# A run of a clock task has ended well, and another begins in the same Celery task (ticks.py).
run_followed = Signal()

# A target of notifications was switched off, because nothing arrived there. Sent with target and now.
target_switched_off = Signal()
