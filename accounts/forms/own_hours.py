"""Forms for working hours and holidays; availability.py decides what is allowed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _

from accounts import availability
from accounts.form_limits import SaysLimits
from accounts.forms.fields import OwnDate, OwnTime
from accounts.models import User


class WorkingHoursForm(SaysLimits, forms.Form):
    """Quiet hours and days off."""

    quiet_from = forms.TimeField(label=_("Quiet hours start"), widget=OwnTime, required=False)
    quiet_until = forms.TimeField(label=_("Quiet hours end"), widget=OwnTime, required=False)
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
        """Save the working hours; return False if they were refused, with the errors in the form."""
        return self.is_valid() and _try_change(
            self, lambda: availability.change(self.user, **self.cleaned_data)
        )


class HolidayForm(SaysLimits, forms.Form):
    """Days on which a person is away."""

    first = forms.DateField(label=_("First day"), widget=OwnDate)
    last = forms.DateField(label=_("Last day"), widget=OwnDate, required=False)  # empty: one day only

    def __init__(self, user: User, data: Any = None) -> None:
        super().__init__(data, label_suffix="")
        self.user = user

    def announce(self) -> bool:
        """Announce the holiday; return False if it was refused, with the errors in the form."""
        if not self.is_valid():
            return False
        first, last = self.cleaned_data["first"], self.cleaned_data["last"]
        return _try_change(self, lambda: availability.announce_holiday(self.user, first, last or first))


def _try_change(form: forms.Form, act: Any) -> bool:
    try:
        act()
    except ValidationError as refusal:
        form.add_error(None, refusal)
    return not form.errors
