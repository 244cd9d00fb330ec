"""Builders of league emails; importing them registers their kinds.

Each returns None when the email is no longer relevant.
"""

from games.leagues.emails import (
    organiser_emails,
    public_news,
    registration_emails,
    season_emails,
    substitute_emails,
)
