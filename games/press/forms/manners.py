"""What people type about manners: why they report a message, and why and how long somebody is silenced."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.press.text.cleaning import cleaned, is_visible

LONGEST_REASON = 500

WHY = {
    "insult": gettext_lazy("It insults or threatens somebody"),
    "private": gettext_lazy("It tells something private of somebody"),
    "spam": gettext_lazy("It advertises, or floods the table"),
    "unfair": gettext_lazy("It breaks the fairness of the game"),
    "other": gettext_lazy("Something else"),
}
LASTS = {
    "day": gettext_lazy("one day"),
    "three": gettext_lazy("three days"),
    "week": gettext_lazy("one week"),
    "month": gettext_lazy("thirty days"),
    "lifted": gettext_lazy("until it is lifted"),
}
_DAYS = {"day": 1, "three": 3, "week": 7, "month": 30}


class ReasonField(forms.CharField):
    """A few words for people, on one line: cleaned, not too long, and not empty where they are needed."""

    def to_python(self, value: Any) -> str:
        typed = str(value or "")
        text = typed if len(typed) > 4 * LONGEST_REASON else " ".join(cleaned(typed).split())
        if len(text) > LONGEST_REASON:
            raise ValidationError(
                _("A reason has at most %(most)d characters; this one has %(count)d."),
                params={"most": LONGEST_REASON, "count": len(text)},
            )
        return text if is_visible(text) else ""


def reason_field(label: Any, missing: Any = "", **more: Any) -> ReasonField:
    """One that must be filled in says so in these words; without them it may be left empty."""
    widget = forms.Textarea(attrs={"rows": 2})
    errors = {"required": missing}
    return ReasonField(label=label, widget=widget, required=bool(missing), error_messages=errors, **more)


def lasts_field() -> forms.ChoiceField:
    return forms.ChoiceField(label=gettext_lazy("How long"), choices=list(LASTS.items()), initial="day")


def length_of(lasts: str) -> timedelta | None:
    """How long a silence holds; None until it is lifted."""
    return timedelta(days=_DAYS[lasts]) if lasts in _DAYS else None


class ReportForm(forms.Form):
    """Why somebody reports a message."""

    why = forms.ChoiceField(
        label=gettext_lazy("What is wrong with it"), choices=list(WHY.items()), widget=forms.RadioSelect
    )
    words = reason_field(gettext_lazy("What else the operator should know"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""

    @property
    def reason(self) -> str:
        """What was chosen, and his own words."""
        chosen = str(WHY[self.cleaned_data["why"]])
        words = self.cleaned_data["words"]
        return f"{chosen}: {words}" if words else chosen


class SilenceForm(forms.Form):
    """Whom the host silences, by his seat, why and how long."""

    seat = forms.TypedChoiceField(label=gettext_lazy("Whom"), coerce=int)
    lasts = lasts_field()
    reason = reason_field(
        gettext_lazy("Why"),
        gettext_lazy("Say why: everybody at the table reads it."),
        help_text=gettext_lazy("Everybody at the table reads it, and whoever is silenced."),
    )

    def __init__(self, *args: Any, others: list[tuple[str, str]], **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", "silence_%s")
        super().__init__(*args, **kwargs)
        self.label_suffix = ""
        seat: Any = self.fields["seat"]
        seat.choices = others


class DecisionForm(forms.Form):
    """What an operator does about a report."""

    WHERE = (("table", gettext_lazy("at this table")), ("everywhere", gettext_lazy("at all tables")))

    decision = reason_field(
        gettext_lazy("A word to who reported it"), help_text=gettext_lazy("Needed to dismiss the report.")
    )
    reason = reason_field(
        gettext_lazy("Why its writer is silenced"),
        help_text=gettext_lazy("Whoever is silenced reads it, and at one table so does everybody there."),
    )
    where = forms.ChoiceField(label=gettext_lazy("Where"), choices=WHERE, initial="table")
    lasts = lasts_field()
    action = forms.ChoiceField(choices=[("dismiss", ""), ("silence", "")])  # the button that was pressed

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.label_suffix = ""

    def clean(self) -> dict[str, Any]:
        """Each way needs its own words."""
        typed = self.cleaned_data
        if typed.get("action") == "dismiss" and not typed.get("decision") and "decision" not in self.errors:
            self.add_error("decision", _("Say why nothing is done: who reported it is told."))
        if typed.get("action") == "silence" and not typed.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Say why: whoever is silenced reads it."))
        return typed
