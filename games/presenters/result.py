"""How a game ended, as pages and emails say it."""

from __future__ import annotations

from dataclasses import dataclass

from games.narration.cast import and_list
from games.narration.endings import ending_text
from games.narration.event_sentences import narrate
from games.presenters.position import Position
from games.presenters.seats import SeatRow, victory_text, winning_regions
from games.rules import events as happened


@dataclass(frozen=True)
class ResultSection:
    """How the game ended: the winners with the reason, and whether the viewer is among them."""

    sentence: str
    winners: str  # their names
    winning_regions: str  # which regions won it; empty if it was won in another way
    has_won: bool


def result_section(position: Position, rows: tuple[SeatRow, ...]) -> ResultSection | None:
    """Return how the game ended; None while it goes on. `rows` are its seats as everyone sees them."""
    outcome = position.seen.outcome
    if not position.is_over:
        return None
    if position.was_ended:
        sentence = ending_text(position.game, position.cast)
        winners = tuple((position.game.result or {}).get("winners", ()))
    else:
        assert outcome is not None
        ended = happened.GameEnded(outcome.winners, outcome.reason)
        (told,), winners = narrate([ended], position.cast), outcome.winners
        sentence = victory_text(position.seen, rows, position.cast) or told
    return ResultSection(
        sentence,
        and_list([position.names[seat] for seat in winners]),
        winning_regions(position.seen, rows, position.cast),
        position.viewer is not None and position.viewer in winners,
    )
