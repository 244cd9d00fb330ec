"""What the clock answers for a seat whose time is out: the plainest legal move. Looks at that seat's own
observation; the one thing that it draws can be checked afterwards (RECORD.md)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from games.models import Game
from games.rules import CARDS, Move, State, drawn_by_clock, legal_moves, parse_move

KEPT = 2


def plainest(game: Game, state: State, seat: int) -> Move:
    """Pass; keep the hand; keep the two highest cards; a region drawn from the game's key."""
    return _ANSWERS[state.phase](game, state, legal_moves(state, seat))


def _pass(game: Game, state: State, moves: Sequence[Move]) -> Move:
    """A card that lies face down stays so (R38)."""
    return parse_move("pass")


def _keep_hand(game: Game, state: State, moves: Sequence[Move]) -> Move:
    return parse_move("keep hand")


def _place(game: Game, state: State, moves: Sequence[Move]) -> Move:
    return moves[drawn_by_clock(game.key, state.ply, len(moves))]


def _keep_highest(game: Game, state: State, moves: Sequence[Move]) -> Move:
    """As many cards as may be kept, the highest Mercenaries first, then the others in their order."""
    return max(moves, key=lambda move: sorted((_rank(card) for card in move.cards), reverse=True))


def _rank(card: str) -> tuple[bool, int]:
    return card.isdigit(), int(card) if card.isdigit() else -CARDS.index(card)


_ANSWERS: dict[str, Callable[[Game, State, Sequence[Move]], Move]] = {
    "battle": _pass,
    "hand": _keep_hand,
    "place": _place,
    "keep": _keep_highest,
}
