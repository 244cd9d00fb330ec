"""Times at which a player proposes to play together."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.timezone import get_current_timezone, localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts import clock
from accounts.forms.fields import OwnDate, OwnTime
from accounts.local_times import typed_instant
from games.forms.plain import PlainForm
from games.services.hours import DAY, FURTHEST, when_to_meet


class HoursForm(PlainForm):
    """Times at which a player proposes to play together, in their own time zone."""

    ROWS = 3

    weekly = forms.BooleanField(label=gettext_lazy("Every week at this time"), required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.times: list[tuple[datetime, datetime]] = []
        for row in range(1, self.ROWS + 1):
            needed = row == 1
            self.fields[f"day_{row}"] = forms.DateField(
                label=pgettext_lazy("of a shared hour", "Day"), widget=OwnDate, required=needed
            )
            self.fields[f"start_{row}"] = forms.TimeField(
                label=pgettext_lazy("of a shared hour", "From"), widget=OwnTime, required=needed
            )
            self.fields[f"end_{row}"] = forms.TimeField(
                label=pgettext_lazy("of a shared hour", "Until"), widget=OwnTime, required=needed
            )

    def rows(self) -> list[list[forms.BoundField]]:
        """Return the three fields of each time."""
        parts = ("day", "start", "end")
        return [[self[f"{part}_{row}"] for part in parts] for row in range(1, self.ROWS + 1)]

    def clean(self) -> dict[str, Any]:
        """Read the times; an end before its start is on the next day."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        for row in range(1, self.ROWS + 1):
            day, start, end = (cleaned.get(f"{part}_{row}") for part in ("day", "start", "end"))
            if day and start and end:
                self._read(row, datetime.combine(day, start), end)
            elif any((day, start, end)) and not self.errors:
                self.add_error(f"day_{row}", _("Enter the day and both times."))
        return cleaned

    def _read(self, row: int, start: datetime, until: time) -> None:
        today = localtime(clock.now()).date()
        if not today <= start.date() <= today + FURTHEST + DAY:
            self.add_error(f"day_{row}", when_to_meet())
            return
        end = datetime.combine(start.date() + DAY * (until <= start.time()), until)
        instants = []
        for part, local in (("start", start), ("end", end)):
            try:
                instants.append(typed_instant(local, get_current_timezone()))
            except ValidationError as error:
                self.add_error(f"{part}_{row}", error)
        if len(instants) == 2:
            self.times.append((instants[0], instants[1]))
