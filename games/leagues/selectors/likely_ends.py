"""When tables are likely to end, from how long such games last and how long these have been played.

Nothing here looks into a game, so no estimate tells what only its players know.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime, timedelta
from math import ceil, exp, log
from statistics import NormalDist

from django.db.models import Count

from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.selectors.date_rules import lengths_at
from games.leagues.services.table_deadlines import is_running

_NINETY = NormalDist().inv_cdf(0.9)
_MOST = 0.999999  # of all games: the last ones are not estimated


def likely_days(median: float, ninety: float, played: float) -> float:
    """Return the days in which half of those games end that take longer than the days `played`.

    Lengths are log-normal: half of them end in `median` days, 9 out of 10 in `ninety`.
    """
    lengths = NormalDist(log(median), log(ninety / median) / _NINETY)
    ended = min(lengths.cdf(log(played)), _MOST) if played > 0 else 0.0
    return max(exp(lengths.inv_cdf((1 + ended) / 2)), played)


def likely_end(row: LeagueTable, now: datetime) -> datetime | None:
    """Return when a running table is likely to end, at the latest when it must; None without clocks."""
    return _end_after(row, now, (now - row.begins_at).total_seconds() / 86400) if row.begins_at else None


def forecast_end(row: LeagueTable) -> datetime | None:
    """Return when half of such tables would have ended, as its season's plan says; None without clocks."""
    return _end_after(row, row.begins_at, 0) if row.begins_at else None


def _end_after(row: LeagueTable, now: datetime, played: float) -> datetime | None:
    lengths = lengths_at(row.round.division.season, row.game_table.size)
    if lengths is None or row.begins_at is None:
        return None
    likely = row.begins_at + timedelta(days=likely_days(*lengths, played))
    return min(likely, max(row.ends_at, now)) if row.ends_at else likely


def most_are_done_at(season: Season, rows: Collection[LeagueTable], now: datetime) -> datetime | None:
    """Return when 9 of 10 players have likely finished their tables; None without clocks, or without players.

    A player's tables that have not begun follow those in progress, as many at once as the season allows, and
    each batch takes as long as 9 out of 10 tables.
    """
    lengths = lengths_at(season, season.size)
    playing = season.entries.filter(state=Registration.State.PLAYING).annotate(sits_out=Count("byes"))
    if lengths is None or not playing:
        return None
    begun = Counter[int]()
    last: dict[int, datetime] = {}
    for row in rows:
        if row.table is not None:
            end = (likely_end(row, now) or now) if is_running(row) else now
            for seat in row.assignments.all():
                begun[seat.entry_id] += 1
                last[seat.entry_id] = max(last.get(seat.entry_id, now), end)
    ends = sorted(
        last.get(entry.pk, now) + _later(season, season.rounds - begun[entry.pk] - entry.sits_out, lengths)
        for entry in playing
    )
    return ends[ceil(len(ends) * 0.9) - 1]


def _later(season: Season, left: int, lengths: tuple[int, int]) -> timedelta:
    """Return how long the tables take that have not begun."""
    days = min(lengths[1], season.table_days + season.extension_days)
    return timedelta(days=ceil(max(left, 0) / season.tables_at_once) * days)
