"""Fields of a season's plan: a day, points by place, tie-breaks in their order."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts import present
from accounts.hours_forms import OwnDate

TIE_BREAKS = {
    "direct": gettext_lazy("Points in the tables at which both sat"),
    "wins": gettext_lazy("Victories"),
    "regions": gettext_lazy("Regions"),
    "strength": gettext_lazy("Strength of the opponents met"),
}
LOT = "lot"
FARTHEST = timedelta(days=5 * 366)


class DayField(forms.DateField):
    """A day of the typist's own calendar; cleaned it is a moment of that day, by his clock."""

    def __init__(self, *, at: time, **kwargs: Any) -> None:
        super().__init__(widget=OwnDate, **kwargs)
        self.at = at

    def clean(self, value: Any) -> datetime:
        day: date = super().clean(value)
        if abs(day - present.now().date()) > FARTHEST:
            raise ValidationError(_("This day is too far away."))
        return timezone.make_aware(datetime.combine(day, self.at))

    def prepare_value(self, value: Any) -> Any:
        return timezone.localtime(value).date() if isinstance(value, datetime) else value


class PointsField(forms.CharField):
    """Whole numbers with spaces between them; cleaned it is a list of them, and may be empty."""

    def clean(self, value: Any) -> list[int]:
        typed = re.findall(r"[^\s,;]+", str(super().clean(value)))
        wrong = [word for word in typed if not re.fullmatch(r"-?[0-9]{1,4}", word)]
        if wrong:
            raise ValidationError(_("Not a whole number: %(wrong)s") % {"wrong": ", ".join(wrong)[:80]})
        return [int(word) for word in typed]

    def prepare_value(self, value: Any) -> Any:
        return " ".join(map(str, value)) if isinstance(value, list) else value


class _InOrder(forms.MultiWidget):
    """A choice for each rank."""

    def __init__(self, choices: list[tuple[str, Any]]) -> None:
        ranks = (
            gettext_lazy("First"),
            gettext_lazy("Second"),
            gettext_lazy("Third"),
            gettext_lazy("Fourth"),
        )
        selects = [forms.Select(attrs={"aria-label": rank}, choices=choices) for rank in ranks]
        super().__init__(selects, {"class": "in-order"})

    def decompress(self, value: Any) -> list[str]:
        chosen = [one for one in value or [] if one != LOT]
        return [*chosen, *[""] * len(self.widgets)][: len(self.widgets)]


class TieBreaksField(forms.MultiValueField):
    """Tie-breaks in the order in which they are asked. The lot, which always decides, is added last."""

    def __init__(self, **kwargs: Any) -> None:
        choices = [("", gettext_lazy("no other: a lot")), *TIE_BREAKS.items()]
        fields = [forms.ChoiceField(choices=choices, required=False) for _rank in TIE_BREAKS]
        super().__init__(fields, widget=_InOrder(choices), require_all_fields=False, required=False, **kwargs)

    def compress(self, data_list: list[str]) -> list[str]:
        chosen = [one for one in data_list if one]
        if len(set(chosen)) < len(chosen):
            raise ValidationError(_("Name each of them once."))
        return [*chosen, LOT]
