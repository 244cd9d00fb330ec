"""The interface for programs: games that others may watch, as spectators see them, without a token."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from ninja import Router, Schema

from accounts.addresses import absolute_url
from accounts.api_access import ANYONE, NO_TOKEN_NEEDED
from games.access import get_watched_table
from games.api.logs import GameNews, HistoryEntry, PageNumber, Step, history_of, news_since, record_for
from games.api.shapes import address
from games.models import Game
from games.models.games_for_pages import read_roster
from games.models.matches import last_game
from games.models.replay import replayed_for
from games.narration.cast import Cast
from games.narration.roster import roster_at
from games.narration.seat_names import shown_names
from games.presenters.decision import decision_section
from games.presenters.position import Position
from games.presenters.reading import reading_of_watched
from games.rules import Observation
from games.selectors.games_to_watch import games_anyone_watches
from games.selectors.own_games import GameRow
from games.views.history import watched_game
from games.views.spectating import MOST_GAMES

GAMES_ON_A_PAGE = 50

router = Router(tags=["watching"])


class GameToWatch(Schema):
    """A game that anyone may watch: the key of its table, and its number there."""

    key: str
    number: int
    name: str
    players: list[str]
    is_over: bool
    result: str
    page: str


class TableWatched(Schema):
    """A table that lets people watch. `games` is how many games have begun, numbered from 1."""

    key: str
    name: str
    state: str
    edition: str
    variants: list[str]
    size: int
    players: list[str]
    games: int
    page: str


class GameWatched(Schema):
    """A game as spectators see it. Numbers of seats begin with 0."""

    key: str
    number: int
    name: str
    players: list[str]
    is_over: bool
    result: str
    step: int
    waiting: str
    observation: Observation
    page: str


@router.get(
    "/watch",
    auth=ANYONE,
    response=list[GameToWatch],
    summary="Games that anyone may watch",
    openapi_extra=NO_TOKEN_NEEDED,
)
def games_to_watch(request: HttpRequest, page: PageNumber = 1) -> list[GameToWatch]:
    """Return the games anyone may watch, the running ones first, 50 to a page."""
    listed = games_anyone_watches()[:MOST_GAMES][(page - 1) * GAMES_ON_A_PAGE : page * GAMES_ON_A_PAGE]
    return [_in_list(game) for game in listed]


@router.get(
    "/watch/{slug:key}",
    auth=ANYONE,
    response=TableWatched,
    summary="A table that lets people watch",
    openapi_extra=NO_TOKEN_NEEDED,
)
def table_watched(request: HttpRequest, key: str) -> TableWatched:
    """Return the table of a watching link, which ends with this key."""
    table = get_watched_table(key)
    last = last_game(table)
    return TableWatched(
        key=key,
        name=table.name,
        state=table.state,
        edition=table.options.edition,
        variants=list(table.options.variants),
        size=table.size,
        players=roster_at(table, None).shown_names,
        games=last.number if last else 0,
        page=address("watch", key),
    )


@router.get(
    "/watch/{slug:key}/games/{number:number}",
    auth=ANYONE,
    response=GameWatched,
    summary="A game as spectators see it",
    openapi_extra=NO_TOKEN_NEEDED,
)
def watched(request: HttpRequest, key: str, number: int) -> GameWatched:
    """Return what everyone at the table sees, and no hand."""
    position = _position(key, number)
    game, table = position.game, position.game.table
    return GameWatched(
        key=key,
        number=number,
        name=table.name,
        players=list(position.names),
        is_over=position.is_over,
        result=GameRow(game, position.cast).result_text,
        step=position.seen.step,
        waiting=decision_section(position).waiting,
        observation=position.seen,
        page=absolute_url(reading_of_watched(game, position.names).page_url),
    )


@router.get(
    "/watch/{slug:key}/games/{number:number}/news",
    auth=ANYONE,
    response=GameNews,
    summary="What has happened in a game that you watch",
    openapi_extra=NO_TOKEN_NEEDED,
)
def watched_news(request: HttpRequest, key: str, number: int, since: Step = 0) -> GameNews:
    """Return what has happened from a step on, as the log on the spectators' page tells it."""
    return news_since(_position(key, number), since)


@router.get(
    "/watch/{slug:key}/games/{number:number}/history",
    auth=ANYONE,
    response=list[HistoryEntry],
    summary="Every move of a finished game that you watch",
    openapi_extra=NO_TOKEN_NEEDED,
)
def watched_history(request: HttpRequest, key: str, number: int) -> list[HistoryEntry]:
    """Return the whole log of a finished game. While it runs, there is none."""
    return history_of(_position(key, number))


@router.get(
    "/watch/{slug:key}/games/{number:number}/record",
    auth=ANYONE,
    summary="The record of a finished game that you watch",
    openapi_extra=NO_TOKEN_NEEDED,
)
def watched_record(request: HttpRequest, key: str, number: int) -> dict[str, Any]:
    """Return the record of a finished game, as its page offers it for download."""
    game, names = _game(key, number)
    return record_for(request, game, names)


def _in_list(game: Game) -> GameToWatch:
    names = shown_names(game.table.seats.all(), None)
    reading = reading_of_watched(game, names)
    return GameToWatch(
        key=game.table.watch_key,
        number=game.number,
        name=game.table.name,
        players=list(names),
        is_over=game.is_over,
        result=GameRow(game, Cast(names)).result_text,
        page=absolute_url(reading.page_url),
    )


def _position(key: str, number: int) -> Position:
    """Return a game as everyone at its table sees it. Raises Http404, also before it begins."""
    game, names = _game(key, number)
    return Position(game, replayed_for(game, None), names, None)


def _game(key: str, number: int) -> tuple[Game, tuple[str, ...]]:
    """Return a game at the table with this watching key, and the names that spectators read there."""
    table = get_watched_table(key)
    read_roster(table)
    game = watched_game(table, number)
    if game is None:
        raise Http404
    game.table = table
    return game, shown_names(table.all_seats(), None)
