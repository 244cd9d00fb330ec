"""Where to fight next, and where to send the Pope: regions compared by what they are worth to whom."""

from games.rules import Move, Observation

from .cards import mean_punch, punch
from .regions import worth
from .tempers import Temper


def place_move(temper: Temper, seen: Observation) -> Move:
    """The region where most is to be gained with this hand, and least to be lost (R3)."""
    confidence = _confidence(temper, seen)
    return max(seen.legal, key=lambda move: _prospect(temper, seen, str(move.region), confidence))


def _confidence(temper: Temper, seen: Observation) -> float:
    """How likely the next battle is one's own, by the hand held against what the others may hold."""
    mine = punch(seen.hand or ())
    others = [size for seat, size in enumerate(seen.hand_sizes) if seat != seen.seat]
    theirs = sum(others) * mean_punch(temper, seen, winter=False)
    return (mine + 5.0) / (mine + theirs + 5.0 * seen.players)


def _prospect(temper: Temper, seen: Observation, region: str, confidence: float) -> float:
    assert seen.seat is not None
    threat = _most_to_another(seen, region)
    return (
        confidence * worth(seen, seen.seat, region)
        - temper.denial(seen.players) * (1.0 - confidence) * threat
    )


def _most_to_another(seen: Observation, region: str) -> float:
    return max([worth(seen, seat, region) for seat in range(seen.players) if seat != seen.seat])


def pope_move(seen: Observation) -> Move:
    """A Bishop that sends the Pope where he is more in the others' way than in one's own, or off (R9)."""
    return max(
        [move for move in seen.legal if move.card == "bishop"], key=lambda move: _hindrance(seen, move)
    )


def _hindrance(seen: Observation, move: Move) -> float:
    if move.region is None:
        return 0.0
    assert seen.seat is not None
    return _most_to_another(seen, move.region) - worth(seen, seen.seat, move.region)
