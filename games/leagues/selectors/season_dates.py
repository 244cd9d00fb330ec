"""Dates of sign-up, confirmation and play, for pages and the calendar."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext as _

from games.leagues.models import LeagueTable, Season

State = Season.State


@dataclass(frozen=True)
class Date:
    """A past or future date of a season.

    `key` stays the same when the date changes.
    """

    key: str
    at: datetime
    what: str
    season: Season

    @property
    def path(self) -> str:
        """Return the path of the season's page."""
        return reverse("season", args=[self.season.league_id, self.season.number])

    @property
    def text(self) -> str:
        """Return the date's text with its season, for lists of several seasons."""
        season = _("Season %(number)d") % {"number": self.season.number}
        return f"{season} · {self.what}"


def dates_of(seasons: Collection[Season]) -> list[Date]:
    """Return all dates of these seasons in order, in one query."""
    running = LeagueTable.objects.running().filter(round__division__season__in=seasons).order_by()
    ends: dict[int, dict[tuple[int, bool], datetime]] = defaultdict(dict)
    columns = ("round__division__season", "round__number", "round__is_final")
    for season, number, is_final, last in running.values_list(*columns).annotate(last=Max("ends_at")):
        ends[season][number, is_final] = last
    dates = [date for season in seasons for date in _dates(season, ends[season.pk])]
    return sorted(dates, key=lambda date: date.at)


def _dates(season: Season, ends: Mapping[tuple[int, bool], datetime]) -> Iterator[Date]:
    """Yield a season's dates; `ends` are those of the last tables being played, by round."""
    if season.state in (State.PLANNED, State.SIGN_UP):
        yield Date(f"{season.pk}-opens", season.opens_at, _("Sign-up opens"), season)
        yield Date(f"{season.pk}-closes", season.signup_ends_at, _("Sign-up ends"), season)
    if season.state in Season.BEFORE_PLAY:
        asked = season.asked_at or season.signup_ends_at
        until = asked + timedelta(days=season.confirm_days)
        yield Date(f"{season.pk}-confirm", until, _("Last day to confirm"), season)
    yield Date(f"{season.pk}-begins", season.begins_at, _("First tables begin"), season)
    if season.league.paused_until is not None and season.state == State.RUNNING:
        yield Date(f"{season.pk}-pause", season.league.paused_until, _("The league’s pause ends"), season)
    for (number, is_final), last in sorted(ends.items()):
        what = _("Last tables of round %(number)d end") % {"number": number}
        what = _("The final ends") if is_final else what
        yield Date(f"{season.pk}-{number}-ends", last, what, season)


def next_dates(dates: Iterable[Date], now: datetime, most: int = 4) -> list[Date]:
    """Return the next dates of unfinished seasons."""
    return [date for date in dates if date.at > now and date.season.state not in Season.OVER][:most]
