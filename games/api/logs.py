"""The interface for programs: a game's news, and the history and record of a finished one, for any reader."""

from __future__ import annotations

from typing import Annotated, Any

from django.http import Http404, HttpRequest
from django.utils.translation import gettext as _
from ninja import Schema
from pydantic import Field

from accounts.api_problems import ApiProblem
from games.models import Game
from games.presenters.game_log import GameLog
from games.presenters.position import Position
from games.rules import record_json
from games.selectors.records import record_of
from games.views.history import RECORDS_A_DAY, count_download

Step = Annotated[int, Field(ge=0, le=2**31 - 1)]
PageNumber = Annotated[int, Field(ge=1, le=10_000)]


class GameNews(Schema):
    """What has happened from a step on, in sentences. Ask again from `step`."""

    step: int
    sentences: list[str]


class HistoryEntry(Schema):
    """One entry of a finished game's log: the seat that made it (null: the site), its move, what happened."""

    seat: int | None
    move: str
    sentences: list[str]


def news_since(position: Position, step: int) -> GameNews:
    """Return what has happened from a step on, as the reader of this position may know it."""
    return GameNews(step=position.seen.step, sentences=GameLog(position, step).sentences_of_news())


def history_of(position: Position) -> list[HistoryEntry]:
    """Return the whole log of a finished game. Raises Http404 while it runs."""
    if not position.game.is_over:
        raise Http404
    log = GameLog(position)
    return [
        HistoryEntry(
            seat=entry.seat, move=str(entry.move), sentences=log.sentences(ply, position.known_of(entry))
        )
        for ply, entry in enumerate(position.replay.plies)
    ]


def record_for(request: HttpRequest, game: Game, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the record of a finished game, counted as a download of its page. Raises Http404, ApiProblem."""
    if not game.is_over:
        raise Http404
    if not count_download(request):
        said = _("You have reached the limit of downloads for today (%(most)d). Try again tomorrow.")
        raise ApiProblem(429, "too-many", said % {"most": RECORDS_A_DAY})
    return record_json(record_of(game, names))
