"""A player's own words for the shuffle."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.characters import CharactersField
from games.forms.plain import PlainForm
from games.services import Refused

LONGEST_WORDS = 200


class WordsForm(PlainForm):
    """A player's own words for the shuffle, exactly as typed: nothing is trimmed or normalised."""

    words = CharactersField(
        label=gettext_lazy("Your words"),
        help_text=gettext_lazy(
            "At most 200 characters. Capitals, spaces and punctuation count exactly as entered. Keep a copy: "
            "the site stores only a number made from them (the nonce), which everyone can see. Do not use a "
            "password of yours."
        ),
        required=False,
        strip=False,
        max_length=LONGEST_WORDS,
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}),
    )


class WordsAgainForm(WordsForm):
    """The same words, typed again to see which nonce they make."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["words"].help_text = _("Enter them exactly as you did when you took your seat.")


def words_typed(sent: QueryDict) -> str:
    """Return the words for the shuffle posted with a form; "" for none.

    Raises Refused if they cannot be used.
    """
    form = WordsForm(sent)
    if not form.is_valid():
        raise Refused(" ".join(map(str, form.errors["words"])))
    return str(form.cleaned_data["words"])
