"""What an organiser says when he opens, prolongs or calls off a season, or invites to it."""

from __future__ import annotations

from datetime import time

from django.utils.translation import gettext_lazy

from games.forms import PlainForm
from games.leagues.forms.fields import DayField
from games.leagues.forms.words import ReasonForm


class OpenForm(PlainForm):
    """Nothing but the wish to open the sign-up now."""


class LongerForm(ReasonForm):
    """Until when the sign-up stays open."""

    field_order = ("until", "reason")
    until = DayField(label=gettext_lazy("Last day of the sign-up"), at=time(23, 59))
