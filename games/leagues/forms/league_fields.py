"""Fields of the forms of leagues, and the form with a reason that organisers' decisions need."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from accounts import clock
from accounts.characters import shortened
from accounts.forms.fields import OwnDate
from accounts.local_times import instant_on
from games.forms.plain import PlainForm
from games.leagues.services.league_texts import cleaned_about, cleaned_name, cleaned_reason
from games.leagues.services.plan_checks import past_date
from games.services import Refused

FARTHEST = timedelta(days=5 * 366)
DAY_ENDS = time(23, 59, fold=1)  # a day on which clocks go back before midnight ends with the second one


class WordsField(forms.CharField):
    """A text field cleaned as the text will be stored; invalid text is a field error."""

    def __init__(self, *, stored_as: Callable[[str], str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stored_as = stored_as

    def clean(self, value: Any) -> str:
        try:
            return self.stored_as(str(super().clean(value)))
        except Refused as refused:
            raise ValidationError(str(refused)) from refused


class DayField(forms.DateField):
    """A date field in the user's time zone that cleans to a datetime on that day.

    The time of day is the field's `at`. If that time comes twice, its `fold` says which one it is.
    """

    def __init__(self, *, at: time, **kwargs: Any) -> None:
        super().__init__(widget=OwnDate, **kwargs)
        self.at = at

    def clean(self, value: Any) -> datetime:
        day: date = super().clean(value)
        if day < clock.now().date() - FARTHEST:
            raise ValidationError(past_date())
        if day > clock.now().date() + FARTHEST:
            raise ValidationError(_("This date is too far away. Choose one within the next five years."))
        return instant_on(day, self.at, timezone.get_current_timezone())

    def prepare_value(self, value: Any) -> Any:
        return timezone.localtime(value).date() if isinstance(value, datetime) else value


class PointsField(forms.CharField):
    """A field of whole numbers separated by spaces, cleaned to a list that may be empty."""

    def clean(self, value: Any) -> list[int]:
        typed = re.findall(r"[^\s,;]+", str(super().clean(value)))
        wrong = [word for word in typed if not re.fullmatch(r"-?[0-9]{1,4}", word)]
        if wrong:
            # Translators: wrong is what someone typed, such as "6a".
            error = _("“%(wrong)s” isn’t a whole number. Enter whole numbers with spaces between them.")
            raise ValidationError(error % {"wrong": shortened(", ".join(wrong), 80)})
        return [int(word) for word in typed]

    def prepare_value(self, value: Any) -> Any:
        return " ".join(map(str, value)) if isinstance(value, list) else value


def name_field(**kwargs: Any) -> WordsField:
    """Return the field for a league's name, with its length checked after cleaning."""
    return WordsField(stored_as=cleaned_name, **kwargs)


def about_field(**kwargs: Any) -> WordsField:
    """Return the multi-line field for a league's description."""
    lines = forms.Textarea(attrs={"rows": 4})
    return WordsField(stored_as=cleaned_about, widget=lines, required=False, **kwargs)


def reason_field() -> WordsField:
    """Return the field for the reason of a decision, shown in the league's log."""
    return WordsField(
        stored_as=cleaned_reason,
        label=pgettext_lazy("form", "Reason"),
        help_text=gettext_lazy("Shown to the league’s members, in its log and in emails."),
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class ChoiceForm(PlainForm):
    """A form whose choices, by field, are known only when it is made."""

    def __init__(
        self, *args: Any, choices: Mapping[str, Sequence[tuple[Any, str]]] | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        for name, known in (choices or {}).items():
            field: Any = self.fields[name]
            field.choices = list(known)


class ReasonForm(ChoiceForm):
    """A form with a reason, which every decision of an organiser needs."""

    reason = reason_field()
