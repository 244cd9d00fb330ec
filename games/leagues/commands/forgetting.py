"""What leagues need no longer: addresses that were invited, and notes left for whoever takes a seat."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from accounts.batches import delete_in_batches
from games.leagues.models import Invited, Season, Vacancy
from games.models import Table

INVITATIONS_LAST = timedelta(days=30)  # after their season began or was called off; the privacy page says so


def forget_old_invitations(now: datetime) -> int:
    """Delete the invitations to seasons that began, or were called off, a month ago; returns how many."""
    long_ago = now - INVITATIONS_LAST
    begun = Q(season__state__in=(Season.State.RUNNING, Season.State.CLOSED), season__begins_at__lt=long_ago)
    called_off = Q(season__state=Season.State.CALLED_OFF, season__closed_at__lt=long_ago)
    return delete_in_batches(Invited.objects.filter(begun | called_off))


def forget_old_notes() -> int:
    """Empty the notes for seats of tables that are over; returns how many. Who took the seat has his own."""
    over = Vacancy.objects.exclude(note="").exclude(table__table__state=Table.State.PLAYING)
    return Vacancy.objects.filter(pk__in=over.values("pk")).update(note="")
