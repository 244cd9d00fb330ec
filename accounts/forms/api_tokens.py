"""The form for a new token for programs."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from accounts.form_limits import SaysLimits
from accounts.models import ApiToken

_DAYS = (30, 90, 365)


def _lengths() -> list[tuple[int | str, str]]:
    """Return for how long a token may work, in the reader's language."""
    limited = [(days, ngettext("%(n)d day", "%(n)d days", days) % {"n": days}) for days in _DAYS]
    return [*limited, ("", str(_("Until you remove it")))]


class NewTokenForm(SaysLimits, forms.Form):
    """What a token is called, what a program may do with it, and for how long."""

    name = forms.CharField(
        label=pgettext_lazy("token for programs", "Name"),
        help_text=_("What uses it, such as “Widget on my phone”."),
        max_length=60,
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=ApiToken.Scope.choices,
        initial=[ApiToken.Scope.READ],
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Choose at least one.")},
    )
    days = forms.TypedChoiceField(
        label=pgettext_lazy("token for programs", "How long it works"),
        choices=_lengths,
        initial=90,
        required=False,
        coerce=int,
        empty_value=None,
    )
    refusal = ""  # why no token may be made now, whatever is entered

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)

    def clean(self) -> dict[str, Any]:
        """Refuse every token while no more may be made."""
        if self.refusal:
            raise ValidationError(self.refusal)
        return self.cleaned_data
