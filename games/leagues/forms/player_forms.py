"""Forms to invite people to a season and to move players between its divisions."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.forms.plain import PlainForm
from games.leagues.forms.league_fields import ReasonForm
from games.leagues.models import Division, Season
from games.leagues.services.player_list_rows import MOST_BYTES, text_of
from games.services import Refused


def levels_of(season: Season) -> list[tuple[int, str]]:
    """Return the levels of the season's possible divisions with their letters, as form choices."""
    return [(level, Division(level=level).letter) for level in range(1, season.most_divisions + 1)]


class InvitationForm(PlainForm):
    """The form for people to invite, as a list that is pasted or uploaded.

    If both are given, the file is used.
    """

    text = forms.CharField(
        label=gettext_lazy("Email addresses"),
        help_text=gettext_lazy(
            "One per line, with or without names. Or paste a whole sheet: columns may be in any order."
        ),
        required=False,
        strip=False,
        max_length=MOST_BYTES,
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "autocomplete": "off", "wrap": "off"}),
    )
    file = forms.FileField(
        label=gettext_lazy("Or upload a sheet"),
        help_text=gettext_lazy("Save it as CSV first. Excel’s own files can’t be read."),
        required=False,
        allow_empty_file=True,
    )

    has_guessed_encoding = False  # whether the file is not Unicode

    def clean_file(self) -> str | None:
        """Return the text of the file, or None without a file."""
        file = self.cleaned_data["file"]
        if not file:
            return None if file is None else ""
        if file.size > MOST_BYTES:
            raise ValidationError(_("The file is too large. Split the list into several files."))
        try:
            text, self.has_guessed_encoding = text_of(file.read())
        except Refused as refused:
            raise ValidationError(str(refused)) from refused
        return text

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and not self.list.strip():
            self.add_error("text", _("There is no list yet. Paste one, or choose a file."))
        return cleaned

    @property
    def list(self) -> str:
        """Return the list of people to invite."""
        file, text = self.cleaned_data.get("file"), self.cleaned_data.get("text", "")
        return str(text if file is None else file)


class MoveForm(ReasonForm):
    """The form to move a player to another division."""

    field_order = ("level", "reason")
    level = forms.TypedChoiceField(label=gettext_lazy("New division"), coerce=int)
