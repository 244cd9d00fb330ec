"""Move the clock forward, play real moves, and read the emails that leave in the meantime."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from django.core import mail

from accounts.mail.delivery import deliver_due
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.models import Game, Seat
from games.models.replay import replayed
from games.rules import legal_moves, pending
from games.services.reminders import remind_due
from tests.games.playing import answer, begin_game, decision_of

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


class Days:
    """A clock, and everything that ticks do as it moves."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 2, 12, tzinfo=UTC)
        self.sent: list[tuple[datetime, Any]] = []

    def tick(self) -> list[Any]:
        """Return the emails that leave at this moment."""
        before = len(mail.outbox)
        remind_due(self.now)
        deliver_due()
        left = list(mail.outbox[before:])
        self.sent += [(self.now, email) for email in left]
        return left

    def pass_by(self, span: timedelta) -> list[Any]:
        """Return the emails that leave while this much time passes, each at its moment."""
        return self.until(self.now + span)

    def until(self, end: datetime) -> list[Any]:
        """Return the emails that leave until that moment."""
        emails = self.tick()
        while self.now < end:
            self.now = min(end, self._next_moment())
            emails += self.tick()
        return emails

    def _next_moment(self) -> datetime:
        """Return when something is due next; ten minutes from now if something due could not be done."""
        queued = OutgoingEmail.objects.filter(state="queued").values_list("not_before", flat=True)
        reminders = Seat.objects.filter(remind_at__isnull=False).values_list("remind_at", flat=True)
        moments = [moment for moment in [*queued, *reminders] if moment is not None]
        later = [moment for moment in moments if moment > self.now]
        is_late = len(later) < len(moments)
        return min([*later, self.now + (10 * MINUTE if is_late else 30 * DAY)])

    def clear(self) -> None:
        """Send everything that waits, and forget it here."""
        OutgoingEmail.objects.all().delete()
        mail.outbox.clear()
        self.sent.clear()


def wants(person: Any, *, at_once_when_alone: bool = False, **preferences: Any) -> None:
    """Set these email preferences from now on."""
    for name, value in {"at_once_when_alone": at_once_when_alone, **preferences}.items():
        setattr(person, name, value)
    person.save()


def games_of(people: list[Any], count: int, **terms: Any) -> list[Game]:
    """Begin this many games of these people, each at a table with its own name."""
    return [begin_game(people, name=f"Table {number + 1}", **terms) for number in range(count)]


def play_on(game: Game) -> None:
    """Answer the first open decision with its first legal move."""
    state = replayed(game).state
    answer(game, str(legal_moves(state, pending(state)[0].seat)[0]))


def play_until_asked(game: Game, person: Any) -> None:
    """The others play until this person has a new decision."""
    seat = Seat.objects.get(table=game.table_id, user=person)
    if decision_of(game).seat == seat.number:
        play_on(game)
    while decision_of(game).seat != seat.number:
        play_on(game)


def asked(game: Game) -> Any:
    """Return the person with the first decision of the game."""
    return Seat.objects.get(table=game.table_id, number=decision_of(game).seat).user


def to(person: Any, emails: list[Any]) -> list[Any]:
    """Return the emails to this person."""
    return [email for email in emails if email.to == [person.email]]


def of_kind(kind: str, emails: list[Any]) -> list[Any]:
    """Return the emails of this kind."""
    ids = set(OutgoingEmail.objects.filter(kind=kind).values_list("message_id", flat=True))
    return [email for email in emails if email.extra_headers["Message-ID"] in ids]


def fresh(person: Any) -> User:
    return User.objects.get(pk=person.pk)
