"""Forms to report a message, to ban someone and to decide a report."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from accounts.characters import CODE_POINTS, count
from accounts.grouped_numbers import grouped
from games.chat.models import Report
from games.chat.text_cleaning import cleaned, is_visible
from games.forms.plain import PlainForm

LONGEST_REASON = 500

LASTS = {
    "day": pgettext_lazy("length of a ban", "1 day"),
    "three": pgettext_lazy("length of a ban", "3 days"),
    "week": pgettext_lazy("length of a ban", "1 week"),
    "month": pgettext_lazy("length of a ban", "30 days"),
    "lifted": pgettext_lazy("length of a ban", "Until the ban is lifted"),
}
_DAYS = {"day": 1, "three": 3, "week": 7, "month": 30}


class ReasonField(forms.CharField):
    """A few words on one line: cleaned, not too long, and not empty if required."""

    def to_python(self, value: Any) -> str:
        typed = str(value or "")
        is_far_too_long = len(typed) > CODE_POINTS * LONGEST_REASON
        text = typed if is_far_too_long else " ".join(cleaned(typed).split())
        length = count(text)
        if length > LONGEST_REASON:
            raise ValidationError(
                # Translators: most and count are numbers of characters.
                ngettext(
                    "A reason can have at most %(most)d character. This one has %(count)s, so shorten it.",
                    "A reason can have at most %(most)d characters. This one has %(count)s, so shorten it.",
                    LONGEST_REASON,
                ),
                params={"most": LONGEST_REASON, "count": grouped(length)},
            )
        return text if is_visible(text) else ""


def reason_field(label: Any, missing: Any = "", **more: Any) -> ReasonField:
    """Return a ReasonField, required if `missing`, its error text, is given."""
    widget = forms.Textarea(attrs={"rows": 2})
    errors = {"required": missing}
    return ReasonField(label=label, widget=widget, required=bool(missing), error_messages=errors, **more)


def lasts_field() -> forms.ChoiceField:
    return forms.ChoiceField(
        label=gettext_lazy("Length of the ban"), choices=list(LASTS.items()), initial="day"
    )


def length_of(lasts: str) -> timedelta | None:
    """Return how long a ban lasts; None until it is lifted."""
    return timedelta(days=_DAYS[lasts]) if lasts in _DAYS else None


class ReportForm(PlainForm):
    """Why someone reports a message."""

    reason = forms.ChoiceField(
        label=gettext_lazy("What is wrong with this message?"),
        choices=Report.Reason.choices,
        widget=forms.RadioSelect,
    )
    words = reason_field(gettext_lazy("Anything else the operator should know (optional)"))


class BanForm(PlainForm):
    """The player whom the host bans (by seat), why and for how long."""

    seat = forms.ChoiceField(label=pgettext_lazy("ban", "Player"))
    lasts = lasts_field()
    reason = reason_field(
        pgettext_lazy("ban", "Reason"),
        gettext_lazy("Enter a reason. Everyone at the table can read it."),
        help_text=gettext_lazy("Everyone at the table can read it, including the banned player."),
    )

    def __init__(self, *args: Any, others: list[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, auto_id="ban_%s", **kwargs)
        seat: Any = self.fields["seat"]
        seat.choices = others


class DecisionForm(PlainForm):
    """An operator's decision about a report."""

    WHERE = (
        ("table", pgettext_lazy("ban", "This table")),
        ("everywhere", pgettext_lazy("ban", "All tables")),
    )

    decision = reason_field(
        gettext_lazy("Message to the reporter"),
        help_text=gettext_lazy("Required if you dismiss the report."),
    )
    reason = reason_field(
        gettext_lazy("Reason for the ban"),
        help_text=gettext_lazy(
            "The banned player can read it. If you ban them at this table only, so can everyone at the table."
        ),
    )
    where = forms.ChoiceField(label=pgettext_lazy("ban", "Applies to"), choices=WHERE, initial="table")
    lasts = lasts_field()
    action = forms.ChoiceField(choices=[("dismiss", ""), ("ban", "")])  # the button that was pressed

    def clean(self) -> dict[str, Any]:
        """Check that each decision has the words it needs."""
        typed = self.cleaned_data
        if typed.get("action") == "dismiss" and not typed.get("decision") and "decision" not in self.errors:
            self.add_error("decision", _("Enter why you dismiss the report. We’ll email it to the reporter."))
        if typed.get("action") == "ban" and not typed.get("reason") and "reason" not in self.errors:
            self.add_error("reason", _("Enter a reason for the ban. The banned player can read it."))
        return typed
