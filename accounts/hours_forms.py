"""Forms about one's own calendar: quiet hours, days off, holidays. What is allowed is decided elsewhere."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from accounts import availability
from accounts.models import User


class OwnTime(forms.TimeInput):
    """A browser's own field for a time of day."""

    input_type = "time"

    def __init__(self) -> None:
        super().__init__(format="%H:%M")


class OwnDate(forms.DateInput):
    """A browser's own field for a day."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format="%Y-%m-%d")


class HoursForm(forms.Form):
    """What of each day and week is not counted."""

    quiet_from = forms.TimeField(label=_("Quiet from"), widget=OwnTime, required=False)
    quiet_until = forms.TimeField(label=_("Quiet until"), widget=OwnTime, required=False)
    days_off = forms.TypedMultipleChoiceField(
        label=_("Days off"),
        choices=list(WEEKDAYS.items()),
        coerce=int,
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )

    def __init__(self, user: User, data: Any = None) -> None:
        stored = {name: getattr(user, name) for name in self.base_fields}
        super().__init__(data, initial=stored, label_suffix="")
        self.user = user

    def change(self) -> bool:
        """Whether the calendar is now as the form says; if not, the form says why."""
        return self.is_valid() and _done(self, lambda: availability.change(self.user, **self.cleaned_data))


class HolidayForm(forms.Form):
    """Days on which somebody is away."""

    first = forms.DateField(label=_("First day"), widget=OwnDate)
    last = forms.DateField(label=_("Last day"), widget=OwnDate, required=False)  # empty: that one day

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        self.user = user

    def announce(self) -> bool:
        """Whether the holiday stands now; if not, the form says why."""
        if not self.is_valid():
            return False
        first, last = self.cleaned_data["first"], self.cleaned_data["last"]
        return _done(self, lambda: availability.announce_holiday(self.user, first, last or first))


def _done(form: forms.Form, act: Any) -> bool:
    try:
        act()
    except ValidationError as refusal:
        form.add_error(None, refusal)
    return not form.errors
