"""When a season has something to do by date. Every command that changes a date or a state puts the season off
to that moment; the tick asks for nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import groupby

from games.leagues.commands.outages import lost_since
from games.leagues.commands.people import late_rule
from games.leagues.models import Entry, Round, Season

SHORT_LASTS = timedelta(days=30)  # until a season is called off for which too few have signed up


def put_off(season: Season) -> None:
    """Write down when this season is to be looked at next; the caller holds its row."""
    season.look_at = look_at_of(season)
    season.save(update_fields=["look_at"])


def look_at_of(season: Season) -> datetime | None:
    """The earliest moment at which there is something to do by date, which may be past; None: never."""
    match season.state:
        case Season.State.PLANNED:
            return season.opens_at
        case Season.State.SIGN_UP:
            return _sign_up_ends(season)
        case Season.State.CONFIRMING:
            return draws_at(season)
        case Season.State.RUNNING:
            return _of_rounds(season)
    return None


def is_full(season: Season) -> bool:
    """Whether as many have signed up as can play."""
    taking = (Entry.State.SIGNED_UP, Entry.State.CONFIRMED)
    return season.entries.filter(state__in=taking).count() >= season.places


def _sign_up_ends(season: Season) -> datetime:
    return season.opens_at if season.closes_when_full and is_full(season) else season.signup_ends_at


def is_prolonged(season: Season) -> bool:
    """Whether the sign-up was left open for longer after the players had been asked to confirm."""
    return season.asked_at is not None and season.signup_ends_at > season.asked_at


def draws_at(season: Season) -> datetime:
    """When the next of those who were asked has had his days; where all have answered, a moment past.

    Once the sign-up has been left open for longer, its end.
    """
    asked = season.entries.filter(state=Entry.State.SIGNED_UP).order_by("asked_at")
    first = asked.values_list("asked_at", flat=True).first()
    if first is not None:
        return answers_by(season, first)
    if is_prolonged(season) and not is_full(season):
        last = [season.short_since + SHORT_LASTS] if season.short_since else []
        return min([season.signup_ends_at, *last])
    return season.asked_at or season.signup_ends_at


def answers_by(season: Season, asked_at: datetime) -> datetime:
    """Until when who was asked then may confirm: so many days, in which the site was there."""
    return asked_at + timedelta(days=season.confirm_days) + lost_since(asked_at)


def _of_rounds(season: Season) -> datetime | None:
    """The first moment of any division; where all rounds are closed, a moment past: so is the season."""
    rounds = list(Round.objects.filter(division__season=season).order_by("division", "number"))
    open_rounds = [one for one in rounds if one.state != Round.State.CLOSED]
    if not open_rounds:
        return season.begins_at
    present = [next(group) for _division, group in groupby(open_rounds, key=lambda one: one.division_id)]
    return min((moment for one in present for moment in _moments(season, one)), default=None)


def _moments(season: Season, present: Round) -> Iterator[datetime]:
    """What comes next in a division whose first open round is this one."""
    if present.state == Round.State.PLANNED:
        early = season.begins_early and present.number > 1
        yield season.begins_at if early else present.starts_at
        return
    if present.reminded_at is None:
        yield present.ends_at - timedelta(days=season.remind_days)
    if late_rule(season) != Season.Late.ORGANISER or (season.extension_days and not present.is_extended):
        yield present.ends_at
