"""Whom an organiser invites to a season: addresses he types, or a list of players as CSV."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.forms import AddressesField, PlainForm
from games.leagues.commands.player_lists import MOST_BYTES
from games.leagues.models import Season
from games.leagues.models.seasons import Division


class InviteForm(PlainForm):
    """Addresses to invite, all with a place kept in one division, or without."""

    invited = AddressesField(
        label=gettext_lazy("Addresses"),
        help_text=gettext_lazy("One a line, with or without a name."),
        max_length=6000,
    )
    level = forms.TypedChoiceField(label=gettext_lazy("Their division"), coerce=int, empty_value=None)

    def __init__(self, season: Season, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if season.most_divisions == 1:
            del self.fields["level"]
            return
        level = self.fields["level"]
        level.required = False
        level.choices = [("", _("as it falls out")), *levels_of(season)]  # type: ignore[attr-defined]


def levels_of(season: Season) -> list[tuple[int, str]]:
    """The divisions that a season can have, each with its letter."""
    return [(level, Division(level=level).letter) for level in range(1, season.most_divisions + 1)]


class ImportForm(PlainForm):
    """A list of players, pasted or as a file; of both the file is read."""

    text = forms.CharField(
        label=gettext_lazy("Paste the list"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "autocomplete": "off"}),
    )
    file = forms.FileField(label=gettext_lazy("Or choose a file"), required=False, allow_empty_file=True)

    def clean_file(self) -> bytes | None:
        """What stands in it."""
        file = self.cleaned_data["file"]
        if not file:
            return None if file is None else b""
        if file.size > MOST_BYTES:
            raise ValidationError(_("The file is too large."))
        return bytes(file.read())

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors and cleaned.get("file") is None and not cleaned.get("text", "").strip():
            self.add_error("text", _("Paste a list, or choose a file."))
        return cleaned

    @property
    def list(self) -> bytes | str:
        """The list that is to be read."""
        file: bytes | None = self.cleaned_data["file"]
        return str(self.cleaned_data["text"]) if file is None else file

    @property
    def text_to_mend(self) -> str:
        """The list as it was sent, for the page on which its errors stand."""
        sent = self.list
        return sent.decode("utf-8-sig", "replace") if isinstance(sent, bytes) else sent
