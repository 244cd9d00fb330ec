"""A season's changed settings in words, with their values before and after."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from accounts.time_elements import moment_element, with_times
from games.leagues.models import Season

MomentText = Callable[[datetime], str]


def change_text(column: str, before: Any, after: Any, moment_text: MomentText = moment_element) -> str:
    """Return a changed setting of a season with its values, as stored in an event."""
    old, new = value_text(before, moment_text), value_text(after, moment_text)
    words = {"setting": label_of(column), "before": old, "after": new}
    # Translators: setting is its name, such as "Days per table"; before and after are numbers or dates
    return with_times(_("%(setting)s: %(before)s → %(after)s"), words)


def label_of(column: str) -> str:
    """Return the name of a season's setting."""
    return str(getattr(Season._meta.get_field(column), "verbose_name", column))


def value_text(value: datetime | str | int | None, moment_text: MomentText = moment_element) -> str:
    """Return the value of a number or date of a season; dates may be in ISO format."""
    match value:
        case None:
            return pgettext("value of a setting", "none")
        case int():
            return str(value)
    return moment_text(value if isinstance(value, datetime) else datetime.fromisoformat(value))
