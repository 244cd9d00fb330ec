"""Words that an organiser types; what may be shown is decided where they are stored (commands/words.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy

from games.commands import Refused
from games.forms import PlainForm
from games.leagues.commands.words import (
    LONGEST_ABOUT,
    LONGEST_REASON,
    cleaned_about,
    cleaned_name,
    cleaned_reason,
)


class WordsField(forms.CharField):
    """A text as it will be stored; what cannot be is said at the field."""

    def __init__(self, *, stored_as: Callable[[str], str], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.stored_as = stored_as

    def clean(self, value: Any) -> str:
        try:
            return self.stored_as(str(super().clean(value)))
        except Refused as refused:
            raise ValidationError(str(refused)) from refused


def name_field(**kwargs: Any) -> WordsField:
    """A league's name; its length is counted once it is cleaned."""
    return WordsField(stored_as=cleaned_name, **kwargs)


def about_field(**kwargs: Any) -> WordsField:
    """What a league is, on as many lines as it takes."""
    lines = forms.Textarea(attrs={"rows": 4, "maxlength": LONGEST_ABOUT})
    return WordsField(stored_as=cleaned_about, widget=lines, required=False, **kwargs)


def reason_field() -> WordsField:
    """Why something is done: it stands in the league's log."""
    return WordsField(
        stored_as=cleaned_reason,
        label=gettext_lazy("Why"),
        help_text=gettext_lazy("It stands in the league's log; its people read it."),
        widget=forms.Textarea(attrs={"rows": 2, "maxlength": LONGEST_REASON}),
    )


class ReasonForm(PlainForm):
    """A reason, which whatever an organiser does has."""

    reason = reason_field()
