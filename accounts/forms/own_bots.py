"""The form for the name of a bot of one's own."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.form_limits import SaysLimits
from accounts.names import LONGEST_NAME, clean_name


class BotNameForm(SaysLimits, forms.Form):
    """What a bot is called."""

    # Longer than a name may be, so that the whole input is shown again with the error.
    name = forms.CharField(
        label=pgettext_lazy("bot", "Name of the bot"),
        help_text=_("Everyone sees it with “(bot)” after it, and your name on the bot’s page."),
        max_length=20 * LONGEST_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off", "maxlength": None}),
        strip=False,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)

    def clean_name(self) -> str:
        """Return the name as it will be stored; refuse bad ones with an error text."""
        return clean_name(self.cleaned_data["name"])
