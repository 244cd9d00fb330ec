"""The addresses of a league's feed and calendar, which other programs read.

A private league is read with a key in the URL, which opens nothing else.
"""

from __future__ import annotations

from urllib.parse import urlencode

from django.conf import settings
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import get_language

from games.leagues.models import League

LANGUAGE_OF_FILE = "in"  # the query of a file's address that names its language


def feed_key(league: League) -> str:
    """Return the key by which other programs read a league.

    It changes with the joining link and cannot be used as one.
    """
    return f"{league.pk}-{salted_hmac('leagues.feeds', league.join_key, algorithm='sha256').hexdigest()[:32]}"


def league_by_key(key: str) -> League | None:
    """Return the league with this key, or None."""
    number = key.partition("-")[0]
    league = (
        League.objects.filter(pk=int(number)).first() if number.isdecimal() and len(number) < 19 else None
    )
    return league if league is not None and constant_time_compare(feed_key(league), key) else None


def feed_path(league: League) -> str:
    """Return the path of the feed in the reader's language, for people who may read the league."""
    return _path(league, "league_feed")


def calendar_path(league: League) -> str:
    """Return the path of the calendar in the reader's language, for people who may read the league."""
    return _path(league, "league_calendar")


def _path(league: League, name: str) -> str:
    """Return the path of a file. It says the language, because other programs ask for none."""
    path = (
        reverse(f"{name}_by_key", args=[feed_key(league)])
        if league.is_private
        else reverse(name, args=[league.pk])
    )
    return f"{path}?{urlencode({LANGUAGE_OF_FILE: get_language() or settings.LANGUAGE_CODE})}"
