"""Working hours in words."""

from __future__ import annotations

from datetime import time

from django.utils.dates import WEEKDAYS
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.durations import hours_and_minutes
from accounts.times import city
from accounts.working_hours import Hours


def week_facts(hours: Hours) -> list[tuple[str, str]]:
    """Return when time counts in a week, without holidays, as labels with their values."""
    weekdays = [str(name) for number, name in WEEKDAYS.items() if number not in hours.days_off]
    off = [str(WEEKDAYS[number]) for number in sorted(hours.days_off)]
    facts = [(_("Days that count"), ", ".join(weekdays) if off else _("Every day"))]
    if off:
        facts.append((_("Days off"), ", ".join(off)))
    if hours.quiet is not None and hours.quiet[0] != hours.quiet[1]:
        first, last = (_clock_time(at) for at in hours.quiet)
        facts.append((_("Quiet hours"), f"{first}–{last}"))
    week = (7 - len(hours.days_off)) * hours.open_in_a_day
    facts.append((_("Counted per week"), hours_and_minutes(week)))
    facts.append((_("Time zone"), city(hours.zone)))
    return facts


def _clock_time(at: time) -> str:
    return time_format(at, pgettext("format of a time of day", "H:i"))
