"""The end of the last battle, for the top of an email that tells of it, and the map it left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accounts.mail.email_content import InlineImage
from games.emails.game_context import MOST_NEWS
from games.map.raster import png
from games.narration.event_sentences import narrate
from games.presenters.game_log import GameLog
from games.presenters.game_news import GameNews
from games.presenters.map_section import board_of
from games.rules import Phase
from games.rules import events as happened

_ENDS = (
    happened.BattleCompared,
    happened.BattleStopped,
    happened.RegionConquered,
    happened.RegionDefended,
    happened.NobodyConquered,
)


@dataclass(frozen=True)
class BattleEnd:
    """How a battle ended: the sentence that matters most, and those with the strengths."""

    headline: str
    strengths: tuple[str, ...]


def pictured(news: GameNews, sentences: Sequence[str]) -> dict[str, Any]:
    """Return what an email with these sentences shows of the news: how a battle ended, the rest, and the map.

    The map comes where a battle has ended, and where the reader chooses a region.
    """
    end = _battle_end_in(sentences[-MOST_NEWS:], news)
    told = {end.headline, *end.strengths} if end else set()
    asked = news.log.position.seen.asked
    has_map = end is not None or (asked is not None and asked.kind == Phase.PLACE)
    return {
        "news": sentences,
        "news_title": news.title,
        "battle_end": end,
        "other_news": [sentence for sentence in sentences[-MOST_NEWS:] if sentence not in told],
        "images": (map_of(news),) if has_map else (),
    }


def map_of(news: GameNews) -> InlineImage:
    """Return the map, with a mark where a battle has just ended."""
    taken = news.moment.region if news.moment else None
    return InlineImage("map", png(board_of(news.log.position, taken=taken)))


def _battle_end_in(sentences: Sequence[str], news: GameNews) -> BattleEnd | None:
    """Return the end of the last battle if these sentences tell of it."""
    *strengths, headline = _last_end(news.log) or ("",)
    return BattleEnd(headline, tuple(strengths)) if headline in sentences else None


def _last_end(log: GameLog) -> list[str]:
    """Return the sentences with which the last battle ended; everyone may know them."""
    plies = log.position.replay.plies
    for ply in reversed(range(len(plies))):
        ends = [event for event in plies[ply].events if isinstance(event, _ENDS)]
        if ends:
            return narrate(ends, log.names_at(ply))
    return []
