"""What comes when in seasons: sign-up, confirming, rounds. For pages, and for the calendar."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext as _

from games.leagues.models import Round, Season
from games.telling.narration import and_list

if TYPE_CHECKING:
    from collections.abc import Sequence

State = Season.State
BEFORE_PLAY = (State.PLANNED, State.SIGN_UP, State.CONFIRMING)


@dataclass(frozen=True)
class Date:
    """Something that comes, or came. `key` stays when it is moved."""

    key: str
    at: datetime
    what: str
    season: Season

    @property
    def path(self) -> str:
        """Where more of it is told."""
        return reverse("season", args=[self.season.league_id, self.season.number])

    @property
    def told(self) -> str:
        """With its season, for who reads of several."""
        return _("Season %(number)d: %(what)s") % {"number": self.season.number, "what": self.what}


def dates_of(seasons: Collection[Season]) -> list[Date]:
    """All dates of these seasons in their order. In one query."""
    rounds = (
        Round.objects.filter(division__season__in=seasons)
        .select_related("division")
        .order_by("division__season", "number", "division__level")
    )
    by_season = {pk: list(found) for pk, found in groupby(rounds, key=lambda one: one.division.season_id)}
    told = [date for season in seasons for date in _dates(season, by_season.get(season.pk, []))]
    return sorted(told, key=lambda date: date.at)


def _dates(season: Season, rounds: Sequence[Round]) -> Iterator[Date]:
    if season.state in (State.PLANNED, State.SIGN_UP):
        yield Date(f"{season.pk}-opens", season.opens_at, _("sign-up opens"), season)
        yield Date(f"{season.pk}-closes", season.signup_ends_at, _("sign-up ends"), season)
    if season.state in BEFORE_PLAY:
        asked = season.asked_at or season.signup_ends_at
        until = asked + timedelta(days=season.confirm_days)
        yield Date(f"{season.pk}-confirm", until, _("the last day to confirm"), season)
    if not rounds:
        yield Date(f"{season.pk}-begins", season.begins_at, _("the first round begins"), season)
    for number, same in groupby(rounds, key=lambda one: one.number):
        yield from _of_round(season, number, list(same))


def _of_round(season: Season, number: int, rounds: Sequence[Round]) -> Iterator[Date]:
    """A round of all divisions at once, or of each that has dates of its own."""
    begin, end = _("round %(number)d begins"), _("round %(number)d ends")
    for moments, words, key in (
        ([one.starts_at for one in rounds], begin, "begins"),
        ([one.ends_at for one in rounds], end, "ends"),
    ):
        for at in sorted(set(moments)):
            here = [one for one, moment in zip(rounds, moments, strict=True) if moment == at]
            what = _with_divisions(words % {"number": number}, here, rounds)
            yield Date(f"{season.pk}-{number}-{here[0].division.level}-{key}", at, what, season)


def _with_divisions(what: str, here: Sequence[Round], rounds: Sequence[Round]) -> str:
    if len(here) == len(rounds):
        return what
    return f"{what} ({and_list([one.division.letter for one in here])})"


def next_dates(dates: Iterable[Date], now: datetime, most: int = 4) -> list[Date]:
    """What comes next of seasons that go on."""
    over = (State.CLOSED, State.CALLED_OFF)
    return [date for date in dates if date.at > now and date.season.state not in over][:most]
