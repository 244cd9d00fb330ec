"""The end of the last battle, for the top of an email that tells of it, and the map it left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from accounts.mail.email_content import InlineImage
from games.emails.game_context import MOST_NEWS
from games.map.raster import png
from games.narration.event_sentences import narrate
from games.presenters.game_view import GameView, board_of
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


def pictured(view: GameView, news: Sequence[str]) -> dict[str, Any]:
    """Return what an email with these news shows of them: how a battle ended, the rest, and the map.

    The map comes where a battle has ended, and where the reader chooses a region.
    """
    end = _battle_end_in(news[-MOST_NEWS:], view)
    told = {end.headline, *end.strengths} if end else set()
    asked = view.seen.asked
    has_map = end is not None or (asked is not None and asked.kind == Phase.PLACE)
    return {
        "news": news,
        "battle_end": end,
        "other_news": [sentence for sentence in news[-MOST_NEWS:] if sentence not in told],
        "images": (map_of(view),) if has_map else (),
    }


def map_of(view: GameView) -> InlineImage:
    """Return the map of a position: the same for everyone at the table."""
    return InlineImage("map", png(board_of(view)))


def _battle_end_in(news: Sequence[str], view: GameView) -> BattleEnd | None:
    """Return the end of the last battle if these news tell of it."""
    *strengths, headline = _last_end(view) or ("",)
    return BattleEnd(headline, tuple(strengths)) if headline in news else None


def _last_end(view: GameView) -> list[str]:
    """Return the sentences with which the last battle ended; everyone may know them."""
    for ply in reversed(range(len(view.replay.plies))):
        ends = [event for event in view.replay.plies[ply].events if isinstance(event, _ENDS)]
        if ends:
            return narrate(ends, view.names_at(ply))
    return []
