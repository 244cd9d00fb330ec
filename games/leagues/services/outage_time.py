"""Outages while a table is played: time in which no one could play does not count."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Max

from games.clocks.outages import OUTAGE
from games.leagues.models import LeagueTable
from games.models import Heartbeat, Outage

Span = tuple[datetime, datetime]


def last_outage() -> int:
    """Return the ID of the latest known outage, or 0."""
    return Outage.objects.aggregate(last=Max("pk"))["last"] or 0


def given_back(row: LeagueTable) -> timedelta:
    """Return the outage time not yet given back to this table.

    Time given back for an earlier outage is not given again.
    """
    spans = Outage.objects.filter(end__gt=row.begins_at, start__lt=row.ends_at).order_by("pk")
    known = [(outage.pk, _within(row, outage)) for outage in spans]
    before = [span for pk, span in known if pk <= row.outage]
    return _length([span for _pk, span in known]) - _length(before)


def lost_since(moment: datetime) -> timedelta:
    """Return how much of the time since then the site was down."""
    spans = Outage.objects.filter(end__gt=moment).values_list("start", "end")
    return _length([(max(start, moment), end) for start, end in spans])


def _within(row: LeagueTable, outage: Outage) -> Span:
    return max(outage.start, row.begins_at or outage.start), min(outage.end, row.deadline)


def _length(spans: Iterable[Span]) -> timedelta:
    """Return the total length of these spans, counting overlaps once."""
    length, covered = timedelta(0), None
    for start, end in sorted(spans):
        begin = start if covered is None else max(start, covered)
        length += max(end - begin, timedelta(0))
        covered = end if covered is None else max(end, covered)
    return length


def is_watched(now: datetime) -> bool:
    """Return whether the site has checked its clocks recently.

    After an outage it has not, and the lost time is not given back yet. Until then no one is late.
    """
    heart = Heartbeat.objects.order_by("pk").first()
    return heart is None or now - heart.at <= OUTAGE
