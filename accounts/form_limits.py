"""What forms say about wrong input: one plain sentence that says what is possible.

Django says "Ensure this value is less than or equal to 3120", and names one end of a range. It says
"Select a valid choice. 7 is not one of the available choices." to people who chose from a list.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext_lazy

_CHOOSE_AGAIN = gettext_lazy("That isn’t one of the choices. Choose again.")
_LONGEST = ngettext_lazy(
    # Translators: both are numbers of characters
    "Enter at most %(limit_value)d character. You entered %(show_value)d.",
    "Enter at most %(limit_value)d characters. You entered %(show_value)d.",
    "limit_value",
)
_SHORTEST = ngettext_lazy(
    # Translators: both are numbers of characters
    "Enter at least %(limit_value)d character. You entered %(show_value)d.",
    "Enter at least %(limit_value)d characters. You entered %(show_value)d.",
    "limit_value",
)
_OF_ALL = {
    "required": gettext_lazy("This is missing. Enter it."),
    "max_length": _LONGEST,
    "min_length": _SHORTEST,
    "null_characters_not_allowed": gettext_lazy(
        "One of the characters can’t be stored. Enter the text again."
    ),
}
_OF_CHOICES = {
    "required": gettext_lazy("Choose one."),
    "invalid_choice": _CHOOSE_AGAIN,
    "invalid_list": _CHOOSE_AGAIN,
}
_NO_FILE = gettext_lazy("Choose a file.")
# Sentences by the kind of field. Where a field is of two kinds, the later one counts.
_BY_KIND: dict[type[forms.Field], dict[str, Any]] = {
    forms.Field: _OF_ALL,
    forms.ChoiceField: _OF_CHOICES,
    forms.MultipleChoiceField: _OF_CHOICES | {"required": gettext_lazy("Choose at least one.")},
    forms.DateField: {"invalid": gettext_lazy("This isn’t a date. Enter one such as 2027-03-31.")},
    forms.TimeField: {"invalid": gettext_lazy("This isn’t a time. Enter one such as 21:30.")},
    forms.UUIDField: {"invalid": gettext_lazy("This page is out of date. Open it again.")},
    forms.JSONField: {"invalid": gettext_lazy("This page is out of date. Open it again.")},
    forms.FileField: {
        "required": _NO_FILE,
        "invalid": _NO_FILE,
        "missing": _NO_FILE,
        "empty": gettext_lazy("This file is empty. Choose another."),
        "max_length": gettext_lazy("The file’s name is too long. Rename it, then choose it again."),
    },
}
_THEIR_PACKAGES = ("django.", "allauth.")


class SaysLimits(forms.BaseForm):
    """Mixin for forms whose fields say what is possible, also those that the form adds when it's made."""

    def full_clean(self) -> None:
        """Clean all the data, with this site's sentences for what is wrong."""
        for field in self.fields.values():
            say_limits(field)
        super().full_clean()


def say_limits(field: forms.Field) -> None:
    """Replace what Django says about wrong input, and let numbers say which are possible."""
    own = _own_sentences(field)
    for kind, sentences in _BY_KIND.items():
        if isinstance(field, kind):
            field.error_messages |= {code: text for code, text in sentences.items() if code not in own}
    if isinstance(field, forms.IntegerField):
        least, most = field.min_value, field.max_value
        if isinstance(least, int | None) and isinstance(most, int | None):
            text = range_text(least, most)
            invalid = text if most is not None else range_text(None, None)
            field.error_messages |= {"min_value": text, "max_value": text, "invalid": invalid}


def _own_sentences(field: forms.Field) -> set[str]:
    """Return the codes of errors for which the field, or its class of this site, has words of its own."""
    theirs: dict[str, Any] = {}
    for one in reversed(type(field).__mro__):
        if one.__module__.startswith(_THEIR_PACKAGES):
            theirs |= vars(one).get("default_error_messages", {})
    return {code for code, text in field.error_messages.items() if text is not theirs.get(code)}


def range_text(least: int | None, most: int | None) -> str:
    """Return the sentence about a number that is too small or too large."""
    if most is None:
        if least is None:
            return _("Enter a whole number.")
        return _("Enter a whole number of at least %(least)d.") % {"least": least}
    return _("Enter a whole number from %(least)d to %(most)d.") % {"least": least or 0, "most": most}
