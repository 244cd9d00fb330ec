"""What forms say about numbers and texts beyond their limits: one plain sentence that names the limits.

Django says "Ensure this value is less than or equal to 3120", and names one end of a range.
"""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy


class SaysLimits(forms.BaseForm):
    """Mixin for forms whose fields say their limits."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            say_limits(field)


def say_limits(field: forms.Field) -> None:
    """Let a field say which whole numbers, or how many characters, are possible."""
    if isinstance(field, forms.IntegerField):
        least, most = field.min_value, field.max_value
        if isinstance(least, int | None) and isinstance(most, int | None):
            text = range_text(least, most)
            invalid = text if most is not None else range_text(None, None)
            field.error_messages |= {"min_value": text, "max_value": text, "invalid": invalid}
    elif isinstance(field, forms.CharField) and field.max_length is not None:
        # Translators: both are numbers of characters
        too_long = ngettext_lazy(
            "Enter at most %(limit_value)d character. You entered %(show_value)d.",
            "Enter at most %(limit_value)d characters. You entered %(show_value)d.",
            "limit_value",
        )
        field.error_messages.setdefault("max_length", too_long)  # a form may have words of its own


def range_text(least: int | None, most: int | None) -> str:
    """Return the sentence about a number that is too small or too large."""
    if most is None:
        if least is None:
            return _("Enter a whole number.")
        return _("Enter a whole number of at least %(least)d.") % {"least": least}
    return _("Enter a whole number from %(least)d to %(most)d.") % {"least": least or 0, "most": most}
