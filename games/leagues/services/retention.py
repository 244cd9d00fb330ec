"""Delete what leagues no longer need: invited addresses, and notes left with seats."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Q

from accounts.row_locks import delete_free, update_free
from games.leagues.models import Invitation, OpenSeat, Season
from games.models import Table

INVITATIONS_LAST = timedelta(days=30)  # after the season began or was cancelled; the privacy page says so


def forget_old_invitations(now: datetime) -> int:
    """Delete invitations to seasons that began or were cancelled a month ago; return how many."""
    long_ago = now - INVITATIONS_LAST
    begun = Q(season__state__in=(Season.State.RUNNING, Season.State.CLOSED), season__begins_at__lt=long_ago)
    cancelled = Q(season__state=Season.State.CANCELLED, season__closed_at__lt=long_ago)
    return delete_free(Invitation.objects.filter(begun | cancelled))[0]


def forget_old_notes() -> int:
    """Empty the notes for seats of finished tables; return how many. Substitutes keep their own copies."""
    over = OpenSeat.objects.exclude(note="").exclude(table__table__state=Table.State.PLAYING)
    return update_free(over, note="")
