"""A table's own texts, checked for the host and for administrators."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from accounts.characters import CharactersField
from accounts.form_limits import SaysLimits
from accounts.token_links import without_token_links
from games.forms.typed_text import single_line
from games.models import Table

if TYPE_CHECKING:
    ModelFormOfTable = forms.ModelForm[Table]  # Django's own class takes no parameter at runtime
else:
    ModelFormOfTable = forms.ModelForm


class TableWords(SaysLimits, ModelFormOfTable):
    """A table's own texts: its name and its host's message."""

    class Meta:
        model = Table
        fields = ("name", "note")
        field_classes = {"note": CharactersField}

    def clean_name(self) -> str:
        name = single_line(self.cleaned_data["name"])
        if not name:
            raise ValidationError(_("Enter a name for the table."))
        return without_token_links(name)

    def clean_note(self) -> str:
        note: str = self.cleaned_data["note"]
        return without_token_links("\n".join(single_line(line) for line in note.splitlines())).strip()
