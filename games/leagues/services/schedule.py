"""When a season acts next by date, and how outages move its dates."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from itertools import groupby
from typing import TypeVar

from django.db.models import Max, Model

from games.clocks.outages import OUTAGE
from games.leagues.models import Registration, Round, Season
from games.leagues.services.permissions import late_rule
from games.models import Heartbeat, Outage

logger = logging.getLogger(__name__)

Row = TypeVar("Row", bound=Model)


def run_for_all(rows: Iterable[Row], event: Callable[[Row, datetime], object], now: datetime) -> int:
    """Run a function for each row and count the rows where it did something; log and skip failures."""
    return sum([_done_or_logged(row, event, now) for row in list(rows)])


def _done_or_logged(row: Row, event: Callable[[Row, datetime], object], now: datetime) -> bool:
    try:
        return bool(event(row, now))
    except Exception:  # whatever is wrong with one row
        logger.exception("%s %s of a league could not go on", row._meta.model_name, row.pk)
        return False


# Outages during a round: time in which no one could play does not count.


Span = tuple[datetime, datetime]


def last_outage() -> int:
    """Return the ID of the latest known outage, or 0."""
    return Outage.objects.aggregate(last=Max("pk"))["last"] or 0


def given_back(round_: Round) -> timedelta:
    """Return the outage time not yet given back to this round.

    Time given back for an earlier outage is not given again.
    """
    spans = Outage.objects.filter(end__gt=round_.starts_at, start__lt=round_.ends_at).order_by("pk")
    known = [(outage.pk, _within(round_, outage)) for outage in spans]
    before = [span for pk, span in known if pk <= round_.outage]
    return _length([span for _pk, span in known]) - _length(before)


def lost_since(moment: datetime) -> timedelta:
    """Return how much of the time since then the site was down."""
    spans = Outage.objects.filter(end__gt=moment).values_list("start", "end")
    return _length([(max(start, moment), end) for start, end in spans])


def _within(round_: Round, outage: Outage) -> Span:
    return max(outage.start, round_.starts_at), min(outage.end, round_.ends_at)


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


# When a season has something to do by date. Every service that changes a date or a state reschedules the
# season; the tick looks at nothing else.


SHORT_LASTS = timedelta(days=30)  # until a season with too few players is cancelled


def reschedule(season: Season) -> None:
    """Store when the tick should next look at this season; the caller holds its lock."""
    season.next_action_at = next_action_at(season)
    season.save(update_fields=["next_action_at"])


def next_action_at(season: Season) -> datetime | None:
    """Return the earliest moment at which something is due by date, possibly in the past; None for never."""
    match season.state:
        case Season.State.PLANNED:
            return season.opens_at
        case Season.State.SIGN_UP:
            return season.signup_ends_at
        case Season.State.CONFIRMING:
            return min(draws_at(season), reminds_at(season))
        case Season.State.RUNNING:
            return _of_rounds(season)
    return None


def is_full(season: Season) -> bool:
    """Return whether as many have signed up as can play."""
    taking = (Registration.State.SIGNED_UP, Registration.State.CONFIRMED)
    return season.entries.filter(state__in=taking).count() >= season.max_players


def is_prolonged(season: Season) -> bool:
    """Return whether the sign-up was extended after players had been asked to confirm."""
    return season.asked_at is not None and season.signup_ends_at > season.asked_at


def draws_at(season: Season) -> datetime:
    """Return when the time to confirm ends; a past moment if all players have confirmed.

    Once the sign-up has been extended, return its end.
    """
    if is_prolonged(season) and not is_full(season):
        last = [season.short_since + SHORT_LASTS] if season.short_since else []
        return min([season.signup_ends_at, *last])
    if season.entries.filter(state=Registration.State.SIGNED_UP).exists():
        return answers_by(season)
    return season.asked_at or season.signup_ends_at


def answers_by(season: Season) -> datetime:
    """Return the deadline to confirm: the season's days after its players were asked, plus outages."""
    asked_at = season.asked_at or season.signup_ends_at
    return asked_at + timedelta(days=season.confirm_days) + lost_since(asked_at)


def reminds_at(season: Season) -> datetime:
    """Return when players who have not confirmed are reminded: a day before the deadline.

    Once they were, or the sign-up has been extended, return the moment of the draw.
    """
    if season.reminded_at or is_prolonged(season):
        return draws_at(season)
    return answers_by(season) - timedelta(days=1)


def _of_rounds(season: Season) -> datetime | None:
    """Return the first due moment of any division; a past one if all rounds, and so the season, are over."""
    rounds = list(Round.objects.filter(division__season=season).order_by("division", "number"))
    open_rounds = [one for one in rounds if one.state != Round.State.CLOSED]
    if not open_rounds:
        return season.begins_at
    present = [next(group) for _division, group in groupby(open_rounds, key=lambda one: one.division_id)]
    return min((moment for one in present for moment in _moments(season, one)), default=None)


def _moments(season: Season, present: Round) -> Iterator[datetime]:
    """Yield what is due next in a division whose first open round is this one."""
    if present.state == Round.State.PLANNED:
        early = season.begins_early and present.number > 1
        yield season.begins_at if early else present.starts_at
        return
    if present.reminded_at is None:
        yield present.ends_at - timedelta(days=season.remind_days)
    if late_rule(season) != Season.Late.ORGANISER or (season.extension_days and not present.is_extended):
        yield present.ends_at
