"""Words that an organiser types: cleaned alike in every form."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.token_links import without_token_links
from games.forms import PlainForm, single_line

LONGEST_REASON = 1000


class LinesField(forms.CharField):
    """Some lines of text, without characters that hide or turn what stands around them."""

    def __init__(self, *, rows: int = 3, **kwargs: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": rows}), **kwargs)

    def clean(self, value: Any) -> str:
        lines = (single_line(line) for line in str(super().clean(value)).splitlines())
        text = without_token_links("\n".join(lines)).strip()
        if self.required and not text:
            raise ValidationError(self.error_messages["required"], code="required")
        return text


class NameField(forms.CharField):
    """A name on one line that can be read."""

    def clean(self, value: Any) -> str:
        name = without_token_links(single_line(str(super().clean(value))))
        if not name:
            raise ValidationError(_("Give it a name."), code="required")
        return name


def reason_field() -> LinesField:
    """Why something is done: it stands in the league's log."""
    return LinesField(
        label=gettext_lazy("Why"),
        help_text=gettext_lazy("It stands in the league's log; its people read it, and whom it touches."),
        max_length=LONGEST_REASON,
        rows=2,
    )


class ReasonForm(PlainForm):
    """A reason, which whatever an organiser does has."""

    reason = reason_field()
