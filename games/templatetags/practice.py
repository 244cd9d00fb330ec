"""Template tags for practice games."""

from __future__ import annotations

from django import template

from games.forms.bots import PracticeForm
from games.models import Table

register = template.Library()


@register.simple_tag
def practice_again(table: Table) -> PracticeForm:
    """Return the filled-in form that starts another practice game like this one."""
    bots = [seat.bot for seat in table.all_seats() if seat.bot]
    return PracticeForm(initial={"opponents": len(bots), "strength": bots[0]})
