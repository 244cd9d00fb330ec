"""Checks of a simulated world after all its games, from outside.

Reads rows and what is known of the people. Counts open time by steps of a quarter of an hour, with nothing of
the site's own arithmetic, so that both would have to be wrong in the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from accounts.mail.models import OutgoingEmail
from accounts.models import Holiday
from games.clocks.policy import PACES
from games.models import Game, LogEntry, Seat, TimeEvent
from games.models.replay import replayed
from games.rules import Replay
from games.selectors.integrity import differences
from games.services.notifications import decisions_in
from tests.simulation.games.people import Person

NO_TIME = timedelta(0)
QUARTER = timedelta(minutes=15)
ROUNDING = timedelta(seconds=1)
ABOUT_DECISIONS = ("your_turn", "waiting")
GONE_OUT = (OutgoingEmail.State.SENT, OutgoingEmail.State.BOUNCED)


def problems(people: Mapping[int, Person]) -> Iterator[str]:
    """Yield a line for each broken promise; `people` are keyed by account number."""
    for game in Game.objects.select_related("table").order_by("pk"):
        yield from _unfinished(game)
        yield from _untold_time_outs(game, people)
        yield from _early_time_outs(game)
    yield from second_emails()
    yield from _failed_emails(people)


def _unfinished(game: Game) -> Iterator[str]:
    if not game.is_over:
        yield f"game {game.pk} did not end"
    for ply, what in differences(game.pk) or ():
        yield f"game {game.pk}, ply {ply}: {what}"


def _untold_time_outs(game: Game, people: Mapping[int, Person]) -> Iterator[str]:
    """Check that no one runs out of time without a reminder, if their address accepts email."""
    seats = {seat.number: seat.user_id for seat in game.table.seats.all()}
    for entry in game.log.filter(via=LogEntry.Via.CLOCK):
        user = seats[entry.seat or 0]
        if user is not None and people[user].takes_mail and not _was_reminded(game, entry, user):
            yield f"game {game.pk}, ply {entry.ply}: timed out without a delivered reminder"


def _was_reminded(game: Game, entry: LogEntry, user: int) -> bool:
    return OutgoingEmail.objects.filter(
        kind="reminder",
        to_user=user,
        context__game=game.pk,
        context__seat=entry.seat,
        context__decision_step=entry.decision_step,
        state=OutgoingEmail.State.SENT,
        sent_at__lt=entry.at,
    ).exists()


def second_emails() -> Iterator[str]:
    """Check that no decision is reported twice as new, unless it came up again for a returning player."""
    told: Counter[tuple[int, int, int, int | None]] = Counter()
    for email in OutgoingEmail.objects.filter(kind__in=ABOUT_DECISIONS, state__in=GONE_OUT):
        told.update((*decision, email.to_user_id) for decision in decisions_in(email))
    for (game, seat, decision_step, _user), count in told.items():
        if count > 1 and count > 1 + _times_back(game, seat):
            yield f"game {game}, step {decision_step}: {count} emails for one decision"


def _times_back(game: int, seat: int) -> int:
    return TimeEvent.objects.filter(game=game, seat=seat, kind=TimeEvent.Kind.BACK).count()


def _failed_emails(people: Mapping[int, Person]) -> Iterator[str]:
    """Check that every email to a working address went out, or had lost its reason."""
    for email in OutgoingEmail.objects.filter(state=OutgoingEmail.State.FAILED).order_by("pk"):
        if people[email.to_user_id or 0].takes_mail:
            yield f"email {email.pk} ({email.kind}) failed: {email.last_error}"


@dataclass(frozen=True)
class Calendar:
    """A person's hours, as the site knows them."""

    person: Seat
    holidays: tuple[tuple[datetime, date, date], ...]
    days_of_holidays: int  # so many from `since` on, in the order of the days
    since: date

    def is_closed(self, moment: datetime) -> bool:
        user = self.person.person
        here = moment.astimezone(user.zone)
        return (
            here.weekday() in user.days_off
            or _is_between(here.time(), user.quiet_from, user.quiet_until)
            or here.date() in self.days_away(moment)
        )

    def days_away(self, moment: datetime) -> list[date]:
        """Return the days of the holidays announced by then that this table allows."""
        days = {
            first + timedelta(days=number)
            for announced, first, last in self.holidays
            if announced <= moment
            for number in range((last - first).days + 1)
        }
        return sorted(day for day in days if day >= self.since)[: self.days_of_holidays]


def _is_between(here: time, first: time | None, last: time | None) -> bool:
    if first is None or last is None:
        return False
    return first <= here < last if first < last else here >= first or here < last


def _early_time_outs(game: Game) -> Iterator[str]:
    """Check that the clock plays only for players who had all their time and reserve."""
    pace = PACES.get(game.table.pace)
    if pace is None or not game.log.filter(via=LogEntry.Via.CLOCK).exists():
        return
    told = replayed(game)
    entries = list(game.log.order_by("ply"))
    for seat in game.table.seats.people():
        calendar = _calendar(seat, game)
        reserve = pace.reserve
        for entry in (entry for entry in entries if entry.seat == seat.number):
            begun = _begun(game, told, entries, entry)
            used = _used(calendar, game, begun, entry.at)
            own = pace.per_decision + _given(game, begun, entry.at)
            is_secret = told.states[entry.ply].phase == "hand"  # R17: with the decision's own time alone
            allowed = own + (NO_TIME if is_secret else reserve)
            if entry.via == LogEntry.Via.CLOCK and used < allowed - ROUNDING:
                yield f"game {game.pk}, ply {entry.ply}: timed out {allowed - used} early"
            if not is_secret and entry.via != LogEntry.Via.BOT:
                reserve = max(NO_TIME, reserve - max(NO_TIME, used - own))


def _calendar(seat: Seat, game: Game) -> Calendar:
    rows = Holiday.objects.filter(user=seat.user).values_list("announced_at", "first", "last")
    since = game.started_at.astimezone(seat.person.zone).date()
    return Calendar(seat, tuple(rows), game.table.most_holidays, since)


def _begun(game: Game, told: Replay, entries: list[LogEntry], entry: LogEntry) -> datetime:
    """Return when the decision of this entry came up; it comes up again for a returning player."""
    ply = next(ply for ply, state in enumerate(told.states) if state.step == entry.decision_step)
    asked = entries[ply - 1].at if ply else game.started_at
    backs = game.time_events.filter(kind=TimeEvent.Kind.BACK, seat=entry.seat, at__range=(asked, entry.at))
    return max([asked, *backs.values_list("at", flat=True)])


def _used(calendar: Calendar, game: Game, start: datetime, end: datetime) -> timedelta:
    """Return the open time between two moments; pauses do not count."""
    if end - start < PACES[game.table.pace].per_decision:
        return end - start  # less than the decision's own time, whatever of it is open
    paused = [(max(start, first), min(end, last)) for first, last in _pauses(game)]
    return open_time(calendar, start, end) - sum(
        (open_time(calendar, first, last) for first, last in paused), NO_TIME
    )


def _pauses(game: Game) -> Iterator[tuple[datetime, datetime]]:
    """Return each pause with its end, as announced or earlier."""
    kinds = (TimeEvent.Kind.PAUSED, TimeEvent.Kind.RESUMED)
    events = list(game.time_events.filter(kind__in=kinds).order_by("at"))
    for event, following in zip(events, [*events[1:], None], strict=False):
        if event.until is not None:
            yield event.at, min(event.until, following.at) if following else event.until


def _given(game: Game, start: datetime, end: datetime) -> timedelta:
    """Return by how much a decision open between these moments was extended."""
    more = game.time_events.filter(kind=TimeEvent.Kind.EXTENDED, at__range=(start, end))
    return sum((event.amount or NO_TIME for event in more), NO_TIME)


def open_time(calendar: Calendar, start: datetime, end: datetime) -> timedelta:
    """Return the open time, counted in quarter hours, because hours change only at quarters."""
    total, at = NO_TIME, start
    while at < end:
        following = min(end, at + QUARTER - (at - datetime.min.replace(tzinfo=at.tzinfo)) % QUARTER)
        if not calendar.is_closed(at):
            total += following - at
        at = following
    return total
