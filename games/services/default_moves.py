"""The default move: what the site plays for a seat that has run out of time."""

from __future__ import annotations

from games.models import Game
from games.rules import CARDS, SPEC_OF, Move, Phase, State, drawn_by_clock, legal_moves, parse_move


def default_move(game: Game, state: State, seat: int) -> Move:
    """Return the default move: pass, keep the hand, keep the two highest cards, or a region by the key."""
    match state.phase:
        case Phase.BATTLE:
            return parse_move("pass")  # a face-down card stays face down (R38)
        case Phase.HAND:
            return parse_move("keep hand")
        case Phase.PLACE:
            moves = legal_moves(state, seat)
            return moves[drawn_by_clock(game.key, state.ply, len(moves))]
        case Phase.KEEP:
            return max(legal_moves(state, seat), key=_ranks_kept)
    raise ValueError(f"no seat decides in the phase {state.phase}")


def _ranks_kept(move: Move) -> list[tuple[bool, int]]:
    """Return what to compare: as many cards as allowed, the highest Mercenaries first, then the others."""
    return sorted((_rank(card) for card in move.cards), reverse=True)


def _rank(card: str) -> tuple[bool, int]:
    spec = SPEC_OF[card]
    return spec.is_mercenary, spec.strength if spec.is_mercenary else -CARDS.index(card)
