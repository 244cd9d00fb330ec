"""The news of a league as an Atom feed (RFC 4287). It contains no more than the league's pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from accounts.addresses import absolute_url, site_host
from accounts.names import first_in_sentence
from games.leagues.models import League, LeagueTable, Season
from games.leagues.selectors.league_tables import TableView, place_of, table_views
from games.leagues.selectors.season_summary import winners_of

MOST_NEWS = 40
State = Season.State


@dataclass(frozen=True)
class News:
    """A news item of a league. `key` is unique in the league and never changes."""

    key: str
    at: datetime
    title: str
    path: str
    text: str = ""


def feed_of(league: League, address: str) -> str:
    """Return the league's latest news as a feed, the newest first, in a fixed number of queries.

    `address` is the feed's own URL.
    """
    news = sorted(_news(league), key=lambda one: (one.at, one.key), reverse=True)[:MOST_NEWS]
    feed = Atom1Feed(
        title=league.name,
        link=absolute_url(reverse("league", args=[league.pk])),
        description=league.about,
        language=get_language(),
        feed_url=address,
        feed_guid=f"tag:{site_host()},2026:league/{league.pk}",
    )
    for one in news or [_founding_news(league)]:
        feed.add_item(
            title=one.title,
            link=absolute_url(one.path),
            description=one.text,
            unique_id=f"tag:{site_host()},2026:league/{league.pk}/{one.key}",
            updateddate=one.at,
            pubdate=one.at,
            author_name=league.name,
        )
    return str(feed.writeString("utf-8"))


def _founding_news(league: League) -> News:
    path = reverse("league", args=[league.pk])
    return News("founded", league.created_at, _("The league was created."), path)


def _news(league: League) -> Iterator[News]:
    seasons = list(league.seasons.order_by("-number")[:MOST_NEWS])
    winners = winners_of(seasons)
    for season in seasons:
        yield from _season_news(season, winners.get(season.pk, ""))
    over = LeagueTable.objects.filter(round__division__season__league=league, collected_at__isnull=False)
    latest = list(over.order_by("-collected_at", "-pk").values_list("pk", flat=True)[:MOST_NEWS])
    yield from map(_table_news, table_views(LeagueTable.objects.filter(pk__in=latest), None))


def _season_news(season: Season, winner: str) -> Iterator[News]:
    path, number = reverse("season", args=[season.league_id, season.number]), {"number": season.number}
    if season.state in (State.PLANNED, State.CANCELLED):
        return
    yield News(
        f"{season.pk}/opened", season.opens_at, _("Sign-up for season %(number)d is open") % number, path
    )
    if season.closed_at is not None:
        title = _("Season %(number)d has finished") % number
        # Translators: name is the player who won the season
        won = _("%(name)s won.") % {"name": first_in_sentence(winner)} if winner else ""
        yield News(f"{season.pk}/closed", season.closed_at, title, path, won)


def _table_news(view: TableView) -> News:
    row, division = view.row, view.row.round.division
    words = {"season": division.season.number, "division": division.letter, "round": row.round.number}
    words |= {"table": row.number}
    if row.round.is_final:
        title = _("Season %(season)d: the final is over") % words
    elif division.season.most_divisions == 1:
        title = _("Season %(season)d, round %(round)d: table %(table)d is over") % words
    else:
        # Translators: division is its letter, such as B
        title = (
            _("Season %(season)d, division %(division)s, round %(round)d: table %(table)d is over") % words
        )
    path = reverse("league_table", args=[division.season.league_id, *place_of(row)])
    # Translators: names is the list of a table's players
    names = _("Players: %(names)s.") % {"names": view.roster}
    return News(f"table/{row.pk}", row.collected_at or row.deadline, title, path, f"{names} {view.state}")
