"""The interface for programs: what waits for a person, their games, and the record of finished ones."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Router, Schema
from pydantic import Field

from accounts.api_access import READ, owner_of_token
from accounts.api_problems import ApiProblem
from accounts.full_disk import optional_write
from accounts.rate_limits import hit
from games.access import get_game_access
from games.api.shapes import GameInList, GameSeen, Waiting, game_in_list, game_seen, waiting_shape
from games.models import Game
from games.presenters.game_log import GameLog
from games.presenters.position import position_through
from games.rules import record_json
from games.selectors.own_games import game_rows
from games.selectors.records import record_of
from games.selectors.waiting import waiting_for
from games.views.history import RECORDS_A_DAY

MOST_GAMES = 50  # on one page
Step = Annotated[int, Field(ge=0, le=2**31 - 1)]
PageNumber = Annotated[int, Field(ge=1, le=10_000)]

router = Router(tags=["games"])


class GameNews(Schema):
    """What has happened from a step on, in sentences. Ask again from `step`."""

    step: int
    sentences: list[str]


class HistoryEntry(Schema):
    """One entry of a finished game's log: the seat that made it (null: the site), its move, what happened."""

    seat: int | None
    move: str
    sentences: list[str]


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
    position = position_through(get_game_access(request, game_id))
    return GameNews(step=position.seen.step, sentences=GameLog(position, since).sentences_of_news())


@router.get(
    "/games/{number:game_id}/history",
    auth=READ,
    response=list[HistoryEntry],
    summary="Every move of a finished game",
)
def history(request: HttpRequest, game_id: int) -> list[HistoryEntry]:
    """Return the whole log of a finished game. While it runs, there is none."""
    access = get_game_access(request, game_id)
    if not access.game.is_over:
        raise Http404
    log = GameLog(position_through(access))
    return [
        HistoryEntry(
            seat=entry.seat, move=str(entry.move), sentences=log.sentences(ply, log.position.known_of(entry))
        )
        for ply, entry in enumerate(log.position.replay.plies)
    ]


@router.get("/games/{number:game_id}/record", auth=READ, summary="The record of a finished game")
def record(request: HttpRequest, game_id: int) -> dict[str, Any]:
    """Return the record of a finished game, as its page offers it for download."""
    access = get_game_access(request, game_id)
    if not access.game.is_over:
        raise Http404
    is_allowed = True
    with optional_write("a count of downloads"):
        is_allowed = hit("record", str(access.seat.person.pk), RECORDS_A_DAY)
    if not is_allowed:
        said = _("You have reached the limit of downloads for today (%(most)d). Try again tomorrow.")
        raise ApiProblem(429, "too-many", said % {"most": RECORDS_A_DAY})
    return record_json(record_of(access.game, access.names))
