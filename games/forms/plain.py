"""The form that the others extend."""

from __future__ import annotations

from typing import Any

from django import forms

from accounts.form_limits import SaysLimits


class PlainForm(SaysLimits, forms.Form):
    """A form whose labels have no colon at the end, and whose errors name the limits."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
