"""The players of a season's final, and when it begins."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max

from accounts.availability import back_at
from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.results.division_standings import standings_by_division
from games.leagues.results.finals import final_table
from games.models import MAX_SEATS, MIN_SEATS

FINALISTS = 4  # two if tables have two seats


@dataclass(frozen=True, slots=True)
class NextFinal:
    """The final that follows, with its players in the order of their places.

    It begins at `at`: in the past, that is now. Otherwise it waits for players who are away.
    """

    players: tuple[Registration, ...]
    at: datetime


def next_final(season: Season, now: datetime) -> NextFinal | None:
    """Return the final of a season whose other tables are all over; None if there is none to begin.

    It waits for players who are away as other tables do. After that, the next places play instead of them.
    """
    if season.final == Season.Final.NONE or final_table(season) is not None:
        return None
    groups = _candidates(season)
    back = {
        entry: moment
        for entry in (entry for group in groups for entry in group)
        if (moment := back_at(entry.user, entry.user.holidays.all(), now)) is not None
    }
    seats = _seats(season)
    wanted = _chosen(groups, seats)
    if len(wanted) < MIN_SEATS:
        return None
    away = [back[entry] for entry in wanted if entry in back]
    until = _over_at(season) + timedelta(days=season.away_days)
    if away and now < until:
        return NextFinal(wanted, min(max(away), until))
    # With too few players left, it waits for the next who are back.
    moments = [now, *sorted(back.values())]
    choices = [(_chosen(_here(groups, back, moment), seats), moment) for moment in moments]
    players, at = next(one for one in choices if len(one[0]) >= MIN_SEATS)
    return NextFinal(players, season.begins_at if at == now else at)


def _here(
    groups: Iterable[Iterable[Registration]], back: Mapping[Registration, datetime], moment: datetime
) -> list[list[Registration]]:
    """Return those who are back by a moment."""
    return [[entry for entry in group if back.get(entry, moment) <= moment] for group in groups]


def _seats(season: Season) -> int:
    """Return how many of each group play: of the highest division, or of every division."""
    if season.final == Season.Final.DIVISIONS:
        return 1
    return MIN_SEATS if season.size == MIN_SEATS else FINALISTS


def most_finalists(season: Season) -> int:
    """Return how many play the season's final, if no one is missing; 0 without a final."""
    if season.final == Season.Final.NONE:
        return 0
    groups = season.most_divisions if season.final == Season.Final.DIVISIONS else 1
    return min(groups * _seats(season), MAX_SEATS)


def _candidates(season: Season) -> list[list[Registration]]:
    """Return who may play the final, by place: of the highest division, or of each."""
    divisions = list(season.divisions.order_by("level"))
    for division in divisions:
        division.season = season
    if season.final == Season.Final.FIRST:
        divisions = divisions[:1]
    entries = Registration.objects.filter(season=season, state=Registration.State.PLAYING)
    staying = entries.filter(user__is_active=True, user__deleted_at=None)
    known = {one.user_id: one for one in staying.select_related("user").prefetch_related("user__holidays")}
    return [
        [known[player] for player in one.standings.order if player in known]
        for one in standings_by_division(divisions)
    ]


def _chosen(groups: Iterable[Sequence[Registration]], seats: int) -> tuple[Registration, ...]:
    return tuple([entry for group in groups for entry in group[:seats]][:MAX_SEATS])


def _over_at(season: Season) -> datetime:
    """Return when the last table of the season was over: the final is due from then on."""
    tables = LeagueTable.objects.filter(round__division__season=season)
    return tables.aggregate(last=Max("collected_at"))["last"] or season.begins_at
