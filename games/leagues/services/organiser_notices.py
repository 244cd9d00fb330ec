"""Emails to a league's organisers about the decisions that only they can make."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import queue
from accounts.models import User
from accounts.row_locks import are_free
from games.leagues.models import Season


def notify_organisers(tasks: Iterable[tuple[str, Season]]) -> int:
    """Email the organisers of each season once about each new task; return the number of new tasks.

    A task is its key, unique to it, and its season. Organisers whose row another process holds hear later.
    Of several tasks of one league, the first email names all: the others only remember that it did.
    """
    emails = {
        f"league_needs:{key}:{organiser.user_id}": (key, season, organiser.user)
        for key, season in tasks
        for organiser in season.league.organisers.select_related("user")
    }
    known = set(OutgoingEmail.objects.filter(key__in=emails).values_list("key", flat=True))
    new = {
        email: about
        for email, about in emails.items()
        if email not in known and are_free(User.objects.filter(pk=about[2].pk))
    }
    first: dict[tuple[int, int], str] = {}
    for email, (_key, season, person) in new.items():
        names_all = first.setdefault((season.league_id, person.pk), email)
        context = {"season": season.pk} | ({} if names_all == email else {"named_in": names_all})
        queue("league_needs", to=person, key=email, context=context)
    return len({key for key, _season, _person in new.values()})
