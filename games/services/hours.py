"""Shared hours: propose and answer them, and remind of them.

Seats store the hour that their player agreed to, so that an open page needs no further query (presence.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import clock
from accounts.mail.outbox import queue, queue_each
from accounts.rate_limits import hit
from accounts.row_locks import delete_free, free
from games.clocks.due import never
from games.models import HourAnswer, Seat, SharedHour, Table
from games.models.locking import Refused

LONGEST = timedelta(hours=6)
FURTHEST = timedelta(days=60)
MOST_AT_A_TABLE = 20
MOST_A_DAY = 20
REMIND_AHEAD = timedelta(minutes=30)
DAY = KEPT = timedelta(days=1)

Times = Sequence[tuple[datetime, datetime]]


@transaction.atomic
def propose_hours(seat: Seat, times: Times, *, is_weekly: bool) -> list[SharedHour]:
    """Propose these times to everyone at the table, who get one email. Raises Refused."""
    table, now, person = _locked(seat.table_id), clock.now(), seat.person
    if table.state not in (Table.State.GATHERING, Table.State.PLAYING):
        raise Refused(_("The game is over."))
    if not times:
        raise Refused(_("Enter at least one time."))
    if any(start <= now or start > now + FURTHEST for start, _end in times):
        raise Refused(when_to_meet())
    if any(end <= start for start, end in times):
        raise Refused(_("A play date must end after it starts. Choose a later end."))
    if any(end - start > LONGEST for start, end in times):
        raise Refused(_("A play date can last 6 hours at most."))
    are_many = table.shared_hours.count() + len(times) > MOST_AT_A_TABLE
    if are_many or not hit("hour", str(person.pk), MOST_A_DAY):
        raise Refused(_("There are enough proposed times for now. Answer some of them first."))
    made = [
        SharedHour.objects.create(
            table=table,
            proposer=person,
            starts_at=start,
            ends_at=end,
            is_weekly=is_weekly,
            zone=str(person.zone),
            remind_at=start - REMIND_AHEAD,
        )
        for start, end in times
    ]
    HourAnswer.objects.bulk_create([HourAnswer(hour=hour, user=person, accepts=True) for hour in made])
    _tell_others(table, seat, made)
    return made


def when_to_meet() -> str:
    """Return the sentence about times that are past or too far ahead."""
    return _("Choose times between now and 60 days from now.")


def _tell_others(table: Table, seat: Seat, made: Sequence[SharedHour]) -> None:
    context = {"table": table.pk, "hours": [hour.pk for hour in made]}
    others = table.seats.people().exclude(pk=seat.pk).order_by("user")
    people = {f"hours_proposed:{made[0].pk}:{other.user_id}": other.person for other in others}
    queue_each("hours_proposed", people, context, settings.EMAIL_HOLD)


@transaction.atomic
def answer_hour(hour: SharedHour, seat: Seat, *, accepts: bool) -> None:
    """Accept or decline a proposed hour; one that no one accepts any more is removed. Raises Refused."""
    table = _locked(seat.table_id)
    if not table.shared_hours.filter(pk=hour.pk).exists():
        raise Refused(_("No one proposes this time any more."))
    HourAnswer.objects.update_or_create(hour=hour, user=seat.person, defaults={"accepts": accepts})
    if not hour.answers.filter(accepts=True).exists():
        hour.delete()
    elif accepts:
        _remind_again(hour, clock.now())
    note_hours(table, clock.now())


def _remind_again(hour: SharedHour, now: datetime) -> None:
    """Let the tick remind of the next time once more, for players it has not reminded yet."""
    following = hour.next_after(now)
    if following and following[0] > now:
        SharedHour.objects.filter(pk=hour.pk).update(remind_at=following[0] - REMIND_AHEAD)


def note_hours(table: Table, now: datetime) -> None:
    """Store the next agreed hour of each player in their seat."""
    seats = list(table.seats.people())
    hours = list(table.shared_hours.prefetch_related("answers"))
    for seat in seats:
        agreed = [hour.next_after(now) for hour in hours if seat in hour.accepted_by(seats)]
        following = min((time for time in agreed if time), default=(None, None))
        if following != (seat.hour_from, seat.hour_until):
            Seat.objects.filter(pk=seat.pk).update(hour_from=following[0], hour_until=following[1])


def _locked(table_id: int) -> Table:
    return Table.objects.select_for_update(of=("self",)).get(pk=table_id)


def run_hours(now: datetime, is_over: Callable[[], bool] = never) -> int:
    """Queue due reminders and store which hours come next; return how many hours were reminded of."""
    due = list(SharedHour.objects.filter(remind_at__lte=now).values_list("pk", flat=True))
    reminded = sum(_remind(pk, now) for pk in due if not is_over())
    begun = Table.objects.filter(seats__hour_until__lte=now).distinct()
    for pk in list(begun.values_list("pk", flat=True)):
        if not is_over():
            _note_next(pk, now)
    delete_free(SharedHour.objects.filter(is_weekly=False, ends_at__lt=now - KEPT))
    return reminded


@transaction.atomic
def _note_next(pk: int, now: datetime) -> None:
    for table in free(Table.objects.filter(pk=pk)):
        note_hours(table, now)


@transaction.atomic
def _remind(pk: int, now: datetime) -> bool:
    """Queue the reminders of one hour, and store when to remind of its next time."""
    hour = free(SharedHour.objects.filter(pk=pk, remind_at__lte=now)).first()
    if hour is None:
        return False
    table = Table.objects.get(pk=hour.table_id)
    if table.state not in (Table.State.GATHERING, Table.State.PLAYING):
        hour.delete()
        return False
    start = (hour.remind_at or now) + REMIND_AHEAD
    told = hour.accepted_by(table.seats.people()) if start > now else []
    for seat in told:
        key = f"hour_soon:{pk}:{start.timestamp():.0f}:{seat.user_id}"
        queue("hour_soon", to=seat.person, key=key, context={"hour": pk, "start": start.isoformat()})
    this = hour.next_after(start)
    following = hour.next_after(max(now, this[1])) if this and hour.is_weekly else None
    hour.remind_at = following[0] - REMIND_AHEAD if following else None
    hour.save(update_fields=["remind_at"])
    return bool(told)
