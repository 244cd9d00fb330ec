"""Which tables can be made up for players who missed theirs on holiday, until half of the season has gone.

Players who missed the same round get a table together. Bots keep the seats that are left until substitutes
take them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from django.db.models import QuerySet

from accounts import clock
from accounts.availability import back_at
from games.leagues.models import Division, MissedRound, Registration, Season, Substitute
from games.leagues.seating import LEAST_AT_TABLE
from games.leagues.services.ready_tables import has_room, tables_held

FEWEST_TOGETHER = 2  # players who missed a round and need no substitute


@dataclass(frozen=True, slots=True)
class MakeUp:
    """The players who missed one round and have had no table for it.

    `here` have room for a table now; `coming` are the moments at which others are back from their holidays.
    """

    missed: tuple[MissedRound, ...]
    here: tuple[MissedRound, ...]
    coming: tuple[datetime, ...]
    helpers: int

    @property
    def _size(self) -> int:
        return self.missed[0].round.division.season.size

    @property
    def _least(self) -> int:
        return min(self._size, LEAST_AT_TABLE)

    @property
    def is_ready(self) -> bool:
        """Whether a table can begin now: a full one, or one for everyone who can still come."""
        enough = len(self.here) >= FEWEST_TOGETHER or self._is_helped(len(self.here))
        return len(self.here) >= self._size or (not self.coming and bool(self.here) and enough)

    @property
    def lacks_substitutes(self) -> bool:
        """Whether there can be no table without more substitutes."""
        alone = len(self.missed) < FEWEST_TOGETHER
        return alone and not self._is_helped(len(self.missed))

    def _is_helped(self, players: int) -> bool:
        return players + self.helpers >= self._least

    @property
    def seats(self) -> int:
        """The seats of a table that begins now for fewer players than fill one."""
        return max(len(self.here), min(self._size, max(self._least, len(self.here) + self.helpers)))


def make_ups_of(division: Division) -> list[MakeUp]:
    """Return what is to be made up in a division by round; nothing in a pause or in its later half."""
    season, now = division.season, clock.now()
    if season.state != Season.State.RUNNING or season.league.is_paused(now) or now >= season.half_at:
        return []
    missed = list(open_missed(Season.objects.filter(pk=season.pk)).filter(round__division=division))
    if not missed:
        return []
    for one in missed:
        one.round.division = division
    busy = tables_held(division)
    return [
        replace(one, here=tuple([row for row in one.here if has_room(row.entry, busy, season)]))
        for one in make_ups_among(missed, now)
    ]


def make_ups_among(missed: Iterable[MissedRound], now: datetime) -> list[MakeUp]:
    """Return these missed rounds by round, without those whose players are back too late.

    Takes a query for each season. Whether the players have room is not asked.
    """
    found: list[MakeUp] = []
    helpers: dict[int, int] = {}
    for _round, rows in groupby(missed, key=lambda one: one.round_id):
        back = {one: _back_at(one, now) for one in rows}
        season = next(iter(back)).round.division.season
        in_time = {one: at for one, at in back.items() if at is None or at < season.half_at}
        if season.pk not in helpers:
            helpers[season.pk] = helpers_of(season).count()
        if in_time:
            here = tuple([one for one, at in in_time.items() if at is None])
            coming = tuple([at for at in in_time.values() if at is not None])
            found.append(MakeUp(tuple(in_time), here, coming, helpers[season.pk]))
    return found


def _back_at(missed: MissedRound, now: datetime) -> datetime | None:
    return back_at(missed.entry.user, missed.entry.user.holidays.all(), now)


def open_missed(seasons: QuerySet[Season]) -> QuerySet[MissedRound]:
    """Return the rounds of these running seasons that players missed and for which they had no table."""
    rows = MissedRound.objects.filter(
        round__division__season__in=seasons.filter(state=Season.State.RUNNING),
        make_up=None,
        entry__state=Registration.State.PLAYING,
        entry__user__is_active=True,
        entry__user__deleted_at=None,
    )
    rows = rows.select_related("round__division__season__league", "entry__user")
    return rows.prefetch_related("entry__user__holidays").order_by("round", "pk")


def helpers_of(season: Season) -> QuerySet[Substitute]:
    """Return the substitutes who may be asked to sit at such a table: not those who missed one themselves."""
    away = MissedRound.objects.filter(round__division__season=season, make_up=None).values("entry__user")
    expelled = season.entries.filter(state=Registration.State.EXPELLED).values("user")
    helping = season.substitutes.filter(stopped_at=None, user__is_active=True, user__deleted_at=None)
    return helping.exclude(user__in=away).exclude(user__in=expelled)


def next_make_up_at(divisions: Sequence[Division]) -> list[datetime]:
    """Return when something can be made up: in the past, now; else once the next players are back."""
    found = [one for division in divisions for one in make_ups_of(division)]
    ready = [one.missed[0].round.division.season.begins_at for one in found if one.is_ready]
    return [*ready, *[min(one.coming) for one in found if one.coming and not one.is_ready]]
