"""What goes on in leagues now, in a sentence for each season that has not ended; the last one's winner, where
none goes on. In four queries, however many leagues are asked about."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Max, OuterRef, Q
from django.utils.translation import gettext as _

from accounts.names import first_in_sentence
from games.leagues.models import Entry, League, Round, Season, Standing
from games.leagues.overview.course_in_words import at

State = Season.State
GOING_ON = (State.PLANNED, State.SIGN_UP, State.CONFIRMING, State.RUNNING)
WITH_PLACE = (Entry.State.EXPECTED, Entry.State.SIGNED_UP, Entry.State.CONFIRMED, Entry.State.PLAYING)


@dataclass(frozen=True)
class Now:
    """A season and what is to be said of it."""

    season: Season
    sentence: str


@dataclass(frozen=True)
class _Playing:
    """The rounds that are being played in a season: the lowest, and when it ends."""

    round: int
    ends_at: datetime


def going_on(leagues: Iterable[League]) -> dict[int, list[Now]]:
    """For each of these leagues, by its number, what goes on; the season furthest on comes first."""
    by_league: dict[int, list[Season]] = {league.pk: [] for league in leagues}
    for season in _seasons(by_league):
        by_league[season.league_id].append(season)
    shown = {pk: _shown(seasons) for pk, seasons in by_league.items()}
    told = told_now([season for seasons in shown.values() for season in seasons])
    return {pk: [Now(season, told[season.pk]) for season in seasons] for pk, seasons in shown.items()}


def _seasons(leagues: Collection[int]) -> Iterable[Season]:
    """Those that go on, and the last one of each league."""
    later = Season.objects.filter(league=OuterRef("league"), number__gt=OuterRef("number"))
    shown = Q(state__in=GOING_ON) | ~Exists(later)
    return Season.objects.filter(shown, league__in=leagues).select_related("league")


def _shown(seasons: Iterable[Season]) -> list[Season]:
    """Those that go on, the furthest first; else the last."""
    going = [season for season in seasons if season.state in GOING_ON]
    return sorted(going, key=lambda one: GOING_ON.index(State(one.state)), reverse=True) or list(seasons)


def told_now(seasons: Collection[Season]) -> dict[int, str]:
    """What goes on in each of these seasons, by its row. In three queries."""
    taken, playing, winners = _taken(seasons), _playing(seasons), winners_of(seasons)
    return {
        season.pk: _told(season, taken.get(season.pk, 0), playing.get(season.pk), winners.get(season.pk, ""))
        for season in seasons
    }


def _taken(seasons: Collection[Season]) -> dict[int, int]:
    """How many places are taken, or kept, in each."""
    counted = Entry.objects.filter(season__in=seasons, state__in=WITH_PLACE).order_by()
    return {row["season"]: row["n"] for row in counted.values("season").annotate(n=Count("pk"))}


def _playing(seasons: Collection[Season]) -> dict[int, _Playing]:
    """Where divisions are not equally far, the lowest round is told."""
    rounds = Round.objects.filter(division__season__in=seasons, state=Round.State.PLAYING)
    ends = rounds.order_by("-number").values_list("division__season", "number").annotate(Max("ends_at"))
    return {season: _Playing(number, ends_at) for season, number, ends_at in ends}


def winners_of(seasons: Collection[Season]) -> dict[int, str]:
    """Who won the highest division of each that is closed."""
    first = Standing.objects.filter(division__season__in=seasons, division__level=1, place=1)
    return {
        standing.division.season_id: standing.entry.user.shown_name
        for standing in first.select_related("division", "entry__user")
    }


def _told(season: Season, taken: int, playing: _Playing | None, winner: str) -> str:
    words: dict[str, object] = {"number": season.number, "taken": taken, "places": season.places}
    words |= {
        "free": max(season.places - taken, 0),
        "rounds": season.rounds,
        "opens": at(season.opens_at),
        "ends": at(season.signup_ends_at),
        "begins": at(season.begins_at),
    }
    match season.state:
        case State.PLANNED:
            return _("Sign-up for season %(number)d opens on %(opens)s.") % words
        case State.SIGN_UP:
            return _sign_up(taken, season) % words
        case State.CONFIRMING:
            return _("The players of season %(number)d confirm; it begins on %(begins)s.") % words
        case State.RUNNING:
            return _running(playing, words)
        case State.CLOSED if winner:
            return _("%(winner)s won season %(number)d.") % (words | {"winner": first_in_sentence(winner)})
        case State.CLOSED:
            return _("Season %(number)d is over.") % words
    return _("Season %(number)d was called off.") % words


def _sign_up(taken: int, season: Season) -> str:
    if season.short_since is not None:
        return _("Season %(number)d looks for more players: %(taken)d of %(places)d places are taken.")
    if taken >= season.places:
        return _("Sign-up for season %(number)d is open until %(ends)s; all places are taken.")
    return _("Sign-up for season %(number)d is open until %(ends)s; %(free)d of %(places)d places are free.")


def _running(playing: _Playing | None, words: dict[str, object]) -> str:
    if playing is None:
        return _("Season %(number)d is being played; the next round is about to begin.") % words
    words |= {"round": playing.round, "until": at(playing.ends_at)}
    return _("Season %(number)d: round %(round)d of %(rounds)d is being played, until %(until)s.") % words
