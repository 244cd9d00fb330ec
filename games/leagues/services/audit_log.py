"""Record what was done in a league, by whom and why, and notify the people concerned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.mail.outbox import NO_HOLD, queue
from accounts.mail.send_times import next_send_at
from accounts.models import User
from accounts.rate_limits import hit
from games.leagues.models import AuditEvent, League, LeagueTable, Round, Season
from games.services import Refused

DECISIONS_TO_ONE_A_DAY = 40  # emails about one organiser's decisions and messages that a person gets


def notify(kind: str, *, to: User, key: str, context: Mapping[str, Any]) -> OutgoingEmail:
    """Queue one email with news, to be sent when the recipient's preferences say.

    The same key gives the same email. Part of the caller's transaction.
    """
    now = clock.now()
    due = next_send_at(to, now, now)
    return queue(kind, to=to, key=key, context=context, hold=due - now if due else NO_HOLD)


def record_event(
    kind: AuditEvent.Kind,
    subject: League | Season,
    by: User | None,
    *,
    touched: Iterable[User] = (),
    reason: str = "",
    facts: Mapping[str, Any] | None = None,
    round: Round | None = None,  # noqa: A002 - the name used everywhere else
    table: LeagueTable | None = None,
    email: str = "league_event",
    is_limited: bool = True,
) -> AuditEvent:
    """Add an event to the league's audit log and email the people an organiser's event affects.

    `email` is the kind of that email; without `is_limited`, it is sent however many they got today.
    Part of the caller's transaction. `by` is None for what a season does automatically.
    """
    season = subject if isinstance(subject, Season) else None
    league = subject.league if isinstance(subject, Season) else subject
    event = AuditEvent.objects.create(
        league=league,
        season=season,
        kind=kind,
        by=by,
        reason=reason,
        facts=dict(facts or {}),
        round=round,
        table=table,
    )
    people = {person.pk: person for person in touched}
    event.touched.set(people.values())
    if by is not None:
        email_event(event, people.values(), email, is_limited=is_limited)
    return event


def email_event(
    event: AuditEvent, people: Iterable[User], kind: str = "league_event", *, is_limited: bool = True
) -> None:
    """Email an event to these people, but not to who did it.

    Raises Refused if it is limited and one of them has had too many of this organiser's decisions today.
    """
    # In a fixed order, because each counts against a limit that another transaction may hold.
    for person in sorted(people, key=lambda one: one.pk):
        if person.pk == event.by_id:
            continue
        if event.by_id and is_limited and not _count_decision(event.by_id, person.pk):
            raise Refused(_("You’ve decided too often about the same people today. Try again tomorrow."))
        key, context = f"{kind}:{event.pk}:{person.pk}", {"event": event.pk}
        notify(kind, to=person, key=key, context=context)


def _count_decision(by: int, person: int) -> bool:
    return hit("league decision", f"{by} {person}", DECISIONS_TO_ONE_A_DAY)
