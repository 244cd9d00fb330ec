"""A person's working hours and holidays, and the functions that change them.

Clocks that depend on them are recalculated in the same transaction, with the old hours, so no change is
retroactive. Nothing here knows what the clocks are for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from accounts import clock
from accounts.local_times import instant_of
from accounts.models import Holiday, User
from accounts.signals import hours_changed
from accounts.working_hours import Hours, NeverOpen

LONGEST_HOLIDAY = 60  # days
MOST_HOLIDAYS = 20  # current and future ones
FARTHEST_AHEAD = timedelta(days=366)
DAY = timedelta(days=1)


def hours_of_person(user: User, holidays: Iterable[Holiday] | None = None) -> Hours:
    """Return a person's stored working hours, without any table settings.

    Holidays are read from the database unless given.
    """
    if holidays is None:
        holidays = () if user.has_no_holidays else user.holidays.all()
    spans = tuple((holiday.first, holiday.last) for holiday in holidays)
    return Hours(user.zone, _quiet_hours_of(user), frozenset(user.days_off), spans)


def _quiet_hours_of(user: User) -> tuple[time, time] | None:
    if user.quiet_from is None or user.quiet_until is None:
        return None
    return user.quiet_from, user.quiet_until


@contextmanager
def changing(user: User) -> Iterator[User]:
    """Apply all changes to the yielded user and their holidays as one change of working hours.

    Concurrent changes run one after another. Raises ValidationError, and changes nothing, if too little time
    is left open.
    """
    with transaction.atomic():
        locked = User.objects.select_for_update(no_key=True).get(pk=user.pk)
        before, now = hours_of_person(locked), clock.now()
        try:
            yield locked
            if hours_of_person(locked) != before:
                hours_changed.send(User, user=locked, hours_before=before, now=now)
        except NeverOpen as error:
            raise ValidationError(_too_few_open_hours(), code="never open") from error


def change(user: User, *, quiet_from: time | None, quiet_until: time | None, days_off: Iterable[int]) -> None:
    """Change the quiet hours (both or none) and the days off (0 is Monday).

    Raises ValidationError for invalid values, keyed by the field at fault where there is one.
    """
    if (quiet_from is None) != (quiet_until is None):
        missing = "quiet_from" if quiet_from is None else "quiet_until"
        raise ValidationError({missing: _("Enter both times, or leave both empty.")})
    if quiet_from is not None and quiet_from == quiet_until:
        same = _("Both times are the same. Choose two times, or leave both empty.")
        raise ValidationError({"quiet_until": same})
    with changing(user) as person:
        person.quiet_from, person.quiet_until = quiet_from, quiet_until
        person.days_off = sorted(set(days_off))
        person.save(update_fields=["quiet_from", "quiet_until", "days_off"])


def choose_zone(user: User, time_zone: str) -> None:
    """Change the person's time zone to one they chose; their hours are counted in it from now on."""
    with changing(user) as person:
        person.time_zone, person.time_zone_chosen = time_zone, True
        person.save(update_fields=["time_zone", "time_zone_chosen"])


def follow_zone(user: User, time_zone: str) -> None:
    """Change the person's time zone to that of their browser, unless they have chosen one."""
    with changing(user) as person:
        if not person.time_zone_chosen:
            person.time_zone = time_zone
            person.save(update_fields=["time_zone"])


def announce_holiday(user: User, first: date, last: date) -> Holiday:
    """Announce a holiday, from tomorrow at the earliest. Safe to repeat.

    Raises ValidationError for days that cannot be announced, keyed by the field at fault.
    """
    with changing(user) as person:
        standing = list(standing_holidays(person))
        for holiday in standing:
            if (holiday.first, holiday.last) == (first, last):
                return holiday
        _require_possible_holiday(first, last, today_of(person), standing)
        return Holiday.objects.create(user=person, first=first, last=last)


def cancel_holiday(user: User, holiday_id: int) -> None:
    """Delete a future holiday, or end a current one today; past ones stay. Safe to repeat."""
    with changing(user) as person:
        today = today_of(person)
        holiday = person.holidays.filter(pk=holiday_id, last__gte=today).first()
        if holiday is None:
            return
        if holiday.first > today:
            holiday.delete()
        else:
            holiday.last = today
            holiday.save(update_fields=["last"])


def standing_holidays(user: User) -> Iterable[Holiday]:
    """Return the person's current and future holidays, the next first."""
    return user.holidays.filter(last__gte=today_of(user))


def back_at(user: User, holidays: Iterable[Holiday], now: datetime) -> datetime | None:
    """Return when the person is back from their present holiday; None if they are not on one."""
    today = day = now.astimezone(user.zone).date()
    for holiday in sorted(holidays, key=lambda one: one.first):
        if holiday.first <= day <= holiday.last:
            day = holiday.last + DAY
    return instant_of(datetime.combine(day, time(0)), user.zone) if day > today else None


def today_of(user: User) -> date:
    """Return today's date in this person's time zone."""
    return clock.now().astimezone(user.zone).date()


def _require_possible_holiday(first: date, last: date, today: date, standing: list[Holiday]) -> None:
    problems = {"first": _refuse_first_day(first, today), "last": _refuse_last_day(first, last)}
    found = {field: sentence for field, sentence in problems.items() if sentence}
    if found:
        raise ValidationError(found)
    for holiday in standing:
        if holiday.first <= last and first <= holiday.last:
            raise ValidationError(
                {"first": _("Some of these days are already a holiday. Choose other days.")}
            )
    if len(standing) >= MOST_HOLIDAYS:
        text = ngettext(
            "You already have %(n)d holiday. Cancel it before you add another.",
            "You already have %(n)d holidays. Cancel one before you add another.",
            MOST_HOLIDAYS,
        )
        raise ValidationError(text % {"n": MOST_HOLIDAYS})


def _refuse_first_day(first: date, today: date) -> str:
    if first <= today:
        return _("A holiday can start tomorrow at the earliest. Choose a later day.")
    if first > today + FARTHEST_AHEAD:
        return _("That’s more than a year ahead. Choose an earlier day.")
    return ""


def _refuse_last_day(first: date, last: date) -> str:
    if last < first:
        return _("The last day is before the first day. Choose a later day.")
    if (last - first).days >= LONGEST_HOLIDAY:
        text = ngettext(
            "A holiday can have at most %(n)d day. Choose an earlier last day.",
            "A holiday can have at most %(n)d days. Choose an earlier last day.",
            LONGEST_HOLIDAY,
        )
        return text % {"n": LONGEST_HOLIDAY}
    return ""


def _too_few_open_hours() -> str:
    return _(
        "Your time must count for at least 24 hours a week. Shorten your quiet hours or remove a day off."
    )
