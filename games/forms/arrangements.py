"""A running game: its pause, more time, and a player's notes."""

from __future__ import annotations

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy, ngettext

from accounts.characters import count
from accounts.grouped_numbers import grouped
from games.clocks.pauses import DAYS_OF_PAUSE, HOURS_OF_MORE_TIME
from games.forms.plain import PlainForm

LONGEST_NOTE = 10_000


class PauseForm(PlainForm):
    """The length of a pause."""

    days = forms.IntegerField(
        label=gettext_lazy("Length of the pause (days)"),
        min_value=DAYS_OF_PAUSE[0],
        max_value=DAYS_OF_PAUSE[-1],
        initial=3,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class MoreTimeForm(PlainForm):
    """How much more time the players to move get."""

    hours = forms.IntegerField(
        label=gettext_lazy("Extra time (hours)"),
        min_value=HOURS_OF_MORE_TIME[0],
        max_value=HOURS_OF_MORE_TIME[-1],
        initial=24,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )


class NoteForm(PlainForm):
    """A player's private note about a game."""

    text = forms.CharField(
        label=gettext_lazy("Your notes"),
        help_text=gettext_lazy("Only you can see them, even after the game. At most 10,000 characters."),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 6, "autocomplete": "off"}),
    )

    def clean_text(self) -> str:
        """Count as the browser does: a line break is one character."""
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        length = count(text)
        if length > LONGEST_NOTE:
            raise ValidationError(
                # Translators: count and most are numbers of characters
                ngettext(
                    "Your notes are too long: %(count)s character. The maximum is %(most)s.",
                    "Your notes are too long: %(count)s characters. The maximum is %(most)s.",
                    length,
                )
                % {"count": grouped(length), "most": grouped(LONGEST_NOTE)}
            )
        return text
