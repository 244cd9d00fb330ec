"""Signals that games send and the apps above them receive, each in the transaction of what happened."""

from django.dispatch import Signal

# The last game of a table has ended. Sent with the game and now.
table_finished = Signal()
