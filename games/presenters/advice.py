"""What Strategist would play, on the page of a practice game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from accounts import clock
from games.access import GameAccess
from games.models import Advice, Seat
from games.narration.reasons import reasons
from games.presenters.position import Position
from games.rules import parse_move
from games.services.advice import is_waiting
from games.services.play_on import may_take_back


@dataclass(frozen=True)
class AdviceSection:
    """The button to ask, or what was answered about this turn."""

    url: str
    is_waiting: bool = False
    sentences: tuple[str, ...] = ()


def advice_section(access: GameAccess, position: Position) -> AdviceSection | None:
    """Return what Strategist says about the reader's turn; None where it doesn't advise."""
    is_asked = position.decision_step is not None and len(position.seen.legal) > 1
    if not settings.STRATEGIST or not is_asked or access.is_link or not access.is_against_bots:
        return None
    if not may_take_back(access.game, access.seat):
        return None
    # not by the position's ply: it leaves out the bots' secret answers
    question = Advice.objects.filter(game=access.game, ply=access.game.ply, seat=access.seat.number).first()
    if question is None or question.answer is None:
        return AdviceSection(access.advice_url, question is not None and is_waiting(question, clock.now()))
    return AdviceSection(access.advice_url, sentences=_sentences(question.answer, position))


def _sentences(answer: Mapping[str, Any], position: Position) -> tuple[str, ...]:
    """Return the move, and what it led to in the worlds that were tried."""
    move = parse_move(answer["move"]) if answer else None
    if move is None or move not in position.seen.legal:
        return ()
    name = position.choices.move_name(move)
    if answer["bot"] == Seat.Bot.CAPTAIN:
        # Translators: move is the label of a button, such as "Play Winter".
        return (_("Strategist can’t think now. Captain’s choice: “%(move)s”.") % {"move": name},)
    # Translators: move is the label of a button, such as "Play Winter".
    said = _("Strategist’s choice: “%(move)s”.") % {"move": name}
    why = reasons(position.seen, move, answer, position.cast)
    chance = _("Strategist thinks that you then win the game with a chance of %(percent)d%%.")
    return (said, *why, chance % {"percent": round(100 * answer["chance"])})
