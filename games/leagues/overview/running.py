"""How a season stands and what comes next, for who runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from games.leagues.models import Entry, LeagueTable, Season, Vacancy
from games.leagues.overview.dates import BEFORE_PLAY, Date, dates_of, next_dates
from games.leagues.overview.outlook import outlook

State = Season.State
OVER = (State.CLOSED, State.CALLED_OFF)


@dataclass(frozen=True)
class Way:
    """Something that may be done, and where."""

    url: str
    words: str


@dataclass(frozen=True)
class SeasonNow:
    """A season that has not ended, as its organiser looks at it."""

    season: Season
    sentences: list[str]
    coming: list[Date]
    ways: list[Way]
    plan: list[str]  # what follows from it, as long as it can be changed


def season_now(season: Season, now: datetime) -> SeasonNow:
    """How it stands, what comes by itself and when, and what may be done."""
    return SeasonNow(
        season,
        list(filter(None, _how_it_stands(season))),
        next_dates(dates_of([season]), now, most=6),
        list(_ways(season)),
        outlook(season) if season.state == State.PLANNED else [],
    )


def _how_it_stands(season: Season) -> Iterator[str]:
    count = Counter(season.entries.values_list("state", flat=True))
    if season.state in BEFORE_PLAY:
        yield from _company(season, count)
        yield _invited(season)
    else:
        players = count[Entry.State.PLAYING]
        yield ngettext("%(n)d player.", "%(n)d players.", players) % {"n": players}
        yield _out(count)
        yield _tables(season)
    waiting = count[Entry.State.WAITING]
    yield (
        ngettext("%(n)d waits for a place.", "%(n)d wait for a place.", waiting) % {"n": waiting}
        if waiting
        else ""
    )
    yield _helpers(season)


def _company(season: Season, count: Counter[str]) -> Iterator[str]:
    with_place = count[Entry.State.SIGNED_UP] + count[Entry.State.CONFIRMED]
    words = {"n": with_place, "places": season.places, "least": season.least}
    yield _("%(n)d of %(places)d places are taken; at least %(least)d are needed.") % words
    if kept := count[Entry.State.EXPECTED]:
        told = ngettext("%(n)d more is kept.", "%(n)d more are kept from the season before.", kept)
        yield told % {"n": kept}
    if season.state == State.CONFIRMING:
        yield _("%(n)d have confirmed.") % {"n": count[Entry.State.CONFIRMED]}


def _invited(season: Season) -> str:
    open_ones = season.invited.filter(state="sent").count()
    told = ngettext(
        "%(n)d invitation is not answered yet.", "%(n)d invitations are not answered yet.", open_ones
    )
    return told % {"n": open_ones} if open_ones else ""


def _out(count: Counter[str]) -> str:
    out = count[Entry.State.WITHDRAWN] + count[Entry.State.EXPELLED]
    return ngettext("%(n)d has left.", "%(n)d have left.", out) % {"n": out} if out else ""


def _waiting(waiting: int) -> str:
    told = ngettext("%(n)d waits for a place.", "%(n)d wait for a place.", waiting)
    return told % {"n": waiting} if waiting else ""


def _tables(season: Season) -> str:
    running = LeagueTable.objects.filter(round__division__season=season, collected_at=None).count()
    sought = Vacancy.objects.filter(
        table__round__division__season=season, state__in=(Vacancy.State.OPEN, Vacancy.State.NOBODY)
    ).count()
    told = ngettext("%(n)d table is being played.", "%(n)d tables are being played.", running) % {
        "n": running
    }
    if not sought:
        return told
    seats = ngettext("Somebody is sought for %(n)d seat.", "Somebody is sought for %(n)d seats.", sought) % {
        "n": sought
    }
    return f"{told % {'n': running}} {seats}"


def _helpers(season: Season) -> str:
    helpers = season.substitutes.filter(stopped_at=None).count()
    return (
        ngettext("%(n)d person helps out.", "%(n)d people help out.", helpers) % {"n": helpers}
        if helpers
        else ""
    )


def way_to(season: Season, name: str, words: str) -> Way:
    """The way to a page about this season."""
    return Way(reverse(name, args=[season.league_id, season.number]), words)


def _ways(season: Season) -> Iterator[Way]:
    """What may be done as the season stands, the usual first."""

    way = partial(way_to, season)

    if season.state == State.PLANNED:
        yield way("replan_season", _("Change the plan"))
        yield way("season_open", _("Open the sign-up now"))
    if season.state in BEFORE_PLAY:
        yield way("season_invite", _("Invite people"))
        yield way("season_import", _("Import players from a list"))
        yield way("season_players", _("Who is in it"))
    if season.state == State.SIGN_UP or season.short_since:
        yield way("season_longer", _("Leave the sign-up open for longer"))
    if season.short_since:
        yield way("season_fewer", _("Begin with fewer players"))
    if season.state == State.RUNNING:
        yield way("season_rulings", _("Rounds, tables and free seats"))
        yield way("season_players", _("Players, free places and who waits"))
    if season.state != State.PLANNED:
        yield way("replan_season", _("Its rules"))
    if season.state in BEFORE_PLAY:
        yield way("season_call_off", _("Call it off"))
