"""The interface for programs: what waits for a person, their games, and the record of finished ones."""

from __future__ import annotations

from typing import Any, Literal

from django.http import HttpRequest
from ninja import Router

from accounts.api_access import READ, owner_of_token
from games.access import get_game_access
from games.api.logs import GameNews, HistoryEntry, PageNumber, Step, history_of, news_since, record_for
from games.api.shapes import GameInList, GameSeen, Waiting, game_in_list, game_seen, waiting_shape
from games.models import Game
from games.presenters.position import position_through
from games.selectors.own_games import game_rows
from games.selectors.waiting import waiting_for

MOST_GAMES = 50  # on one page

router = Router(tags=["games"])


@router.get("/waiting", auth=READ, response=list[Waiting], summary="What waits for you")
def waiting(request: HttpRequest) -> list[Waiting]:
    """Return the games, full tables and invitations that wait for the person, the longest waiting first."""
    return [waiting_shape(row) for row in waiting_for(owner_of_token(request))]


@router.get("/games", auth=READ, response=list[GameInList], summary="Your games")
def games(
    request: HttpRequest, state: Literal["running", "finished"] = "running", page: PageNumber = 1
) -> list[GameInList]:
    """Return the person's games, the newest first, 50 to a page."""
    person = owner_of_token(request)
    mine = Game.objects.of(person).select_related("table").order_by("-pk")
    chosen = mine.running() if state == "running" else mine.filter(ended_at__isnull=False)
    listed = list(chosen[(page - 1) * MOST_GAMES : page * MOST_GAMES])
    return [game_in_list(row) for row in game_rows(listed, person).values()]


@router.get("/games/{number:game_id}", auth=READ, response=GameSeen, summary="A game as your seat sees it")
def game(request: HttpRequest, game_id: int) -> GameSeen:
    """Return what the person's seat sees, and their legal moves with what follows from each."""
    return game_seen(get_game_access(request, game_id))


@router.get(
    "/games/{number:game_id}/news", auth=READ, response=GameNews, summary="What has happened in a game"
)
def news(request: HttpRequest, game_id: int, since: Step = 0) -> GameNews:
    """Return what has happened from a step on, as the log on the game's page tells it."""
    return news_since(position_through(get_game_access(request, game_id)), since)


@router.get(
    "/games/{number:game_id}/history",
    auth=READ,
    response=list[HistoryEntry],
    summary="Every move of a finished game",
)
def history(request: HttpRequest, game_id: int) -> list[HistoryEntry]:
    """Return the whole log of a finished game. While it runs, there is none."""
    return history_of(position_through(get_game_access(request, game_id)))


@router.get("/games/{number:game_id}/record", auth=READ, summary="The record of a finished game")
def record(request: HttpRequest, game_id: int) -> dict[str, Any]:
    """Return the record of a finished game, as its page offers it for download."""
    access = get_game_access(request, game_id)
    return record_for(request, access.game, access.names)
