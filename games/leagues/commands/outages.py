"""How much of a round the site was down: time in which nobody could play is nobody's."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Max

from games.commands.outages import OUTAGE
from games.leagues.models import Round
from games.models import Heartbeat, Outage

Span = tuple[datetime, datetime]


def last_outage() -> int:
    """The number of the latest known outage; 0 where there was none."""
    return Outage.objects.aggregate(last=Max("pk"))["last"] or 0


def given_back(round_: Round) -> timedelta:
    """The time of the outages that this round has not been given back yet. What an earlier outage has given
    is not given again."""
    spans = Outage.objects.filter(end__gt=round_.starts_at, start__lt=round_.ends_at).order_by("pk")
    known = [(outage.pk, _within(round_, outage)) for outage in spans]
    before = [span for pk, span in known if pk <= round_.outage]
    return _length([span for _pk, span in known]) - _length(before)


def lost_since(moment: datetime) -> timedelta:
    """How much of the time since then the site was down."""
    spans = Outage.objects.filter(end__gt=moment).values_list("start", "end")
    return _length([(max(start, moment), end) for start, end in spans])


def _within(round_: Round, outage: Outage) -> Span:
    return max(outage.start, round_.starts_at), min(outage.end, round_.ends_at)


def _length(spans: Iterable[Span]) -> timedelta:
    """How long these spans are together, what several share counted once."""
    length, covered = timedelta(0), None
    for start, end in sorted(spans):
        begin = start if covered is None else max(start, covered)
        length += max(end - begin, timedelta(0))
        covered = end if covered is None else max(end, covered)
    return length


def is_watched(now: datetime) -> bool:
    """Whether the site has looked at its clocks of late. After an outage it has not, and the time that was
    lost is not given back yet: nobody is called late before it is."""
    heart = Heartbeat.objects.order_by("pk").first()
    return heart is None or now - heart.at <= OUTAGE
