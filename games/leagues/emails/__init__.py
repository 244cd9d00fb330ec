"""Builders of league emails; importing them registers their kinds.

Each returns None when the email is no longer relevant.
"""

from games.leagues.emails import registration, season

__all__ = ["registration", "season"]
