"""What invited people read of a league they don't know yet."""

from __future__ import annotations

from django.utils.text import Truncator

from games.leagues.models import League
from games.leagues.selectors.concern_texts import paragraphs_of

LONGEST = 500  # characters; the league's page has the rest


def about_in_short(league: League) -> list[str]:
    """Return the paragraphs of the league's description, cut off where it is long."""
    return paragraphs_of(Truncator(league.about).chars(LONGEST))
