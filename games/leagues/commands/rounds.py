"""A round begins, and is closed. The tick does it: it is looked at again under the season's lock whether the
moment has come, and done once."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction

from games.leagues.commands.deeds import write_down
from games.leagues.commands.drawing_up import (
    call_together,
    drawn_up,
    hold_players,
    players_of,
    scores_before,
)
from games.leagues.commands.locking import locked_season
from games.leagues.commands.looking import put_off
from games.leagues.commands.outages import last_outage
from games.leagues.commands.telling import tell
from games.leagues.models import Deed, Round, Season


def locked_round(round_: Round) -> tuple[Round, Season]:
    """The round as it is while its season is held."""
    season = locked_season(Season.objects.values_list("pk", flat=True).get(divisions__rounds=round_.pk))
    round_ = Round.objects.select_related("division").get(pk=round_.pk)
    round_.division.season = season
    return round_, season


# It begins


@transaction.atomic
def begin_round(round_: Round, now: datetime) -> bool:
    """The round's tables begin, and everybody in it is written to, who sits out as well. A round for which
    too few are left is closed at once.

    Whether it began: not before its start, nor before the round before it is closed.
    """
    here = hold_players(round_)
    round_, season = locked_round(round_)
    if not _may_begin(round_, season, now):
        return False
    entries = {entry.user_id: entry for entry in players_of(round_) if entry.user_id in here}
    round_.scores = scores_before(round_, season, entries.keys())
    seated = drawn_up(round_, season, entries.keys())
    _has_begun(round_, season, now)
    call_together(round_, season, seated, entries)
    write_down(Deed.Kind.ROUND_BEGUN, season, None, round=round_)
    if seated.tables:
        for entry in entries.values():
            key, about = f"league_round:{round_.pk}:{entry.pk}", {"round": round_.pk, "entry": entry.pk}
            tell("league_round", to=entry.user, key=key, about=about)
    else:
        _has_closed(round_, season, now)
    put_off(season)
    return True


def _may_begin(round_: Round, season: Season, now: datetime) -> bool:
    if season.state != Season.State.RUNNING or round_.state != Round.State.PLANNED:
        return False
    before = round_.division.rounds.filter(number__lt=round_.number)
    if before.exclude(state=Round.State.CLOSED).exists():
        return False
    return now >= round_.starts_at or (season.begins_early and round_.number > 1)


def _has_begun(round_: Round, season: Season, now: datetime) -> None:
    round_.state, round_.starts_at = Round.State.PLAYING, now
    round_.ends_at = now + timedelta(days=season.round_days)
    round_.outage = last_outage()
    round_.save(update_fields=["state", "starts_at", "ends_at", "outage", "scores"])
    shift_later(round_, season, round_.ends_at)


def shift_later(round_: Round, season: Season, end: datetime) -> None:
    """The rounds to come begin after this one's end; where they begin early, right after it."""
    for later in round_.division.rounds.filter(number__gt=round_.number).order_by("number"):
        later.starts_at = end if season.begins_early else max(later.starts_at, end)
        later.ends_at = end = later.starts_at + timedelta(days=season.round_days)
        later.save(update_fields=["starts_at", "ends_at"])


# It is over


@transaction.atomic
def close_round(round_: Round, now: datetime) -> bool:
    """A round whose tables are all collected is closed, and its division is written to; whether it was."""
    round_, season = locked_round(round_)
    if round_.state != Round.State.PLAYING or round_.tables.filter(collected_at=None).exists():
        return False
    _has_closed(round_, season, now)
    for entry in players_of(round_):
        key, about = f"league_result:{round_.pk}:{entry.pk}", {"round": round_.pk, "entry": entry.pk}
        tell("league_result", to=entry.user, key=key, about=about)
    put_off(season)
    return True


def _has_closed(round_: Round, season: Season, now: datetime) -> None:
    round_.state, round_.closed_at = Round.State.CLOSED, now
    round_.save(update_fields=["state", "closed_at"])
    if season.begins_early:
        shift_later(round_, season, now)
    write_down(Deed.Kind.ROUND_CLOSED, season, None, round=round_)
