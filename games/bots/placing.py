"""Where to fight next, and where to send the Pope: regions compared by what they are worth to whom."""

from games.rules import Move, Observation

from .cards import mean_punch, punch
from .regions import brought, worths
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
    won, lost = _either_way(seen, region, temper.denial(seen.players))
    return confidence * won + (1.0 - confidence) * lost


def _either_way(seen: Observation, region: str, denial: float) -> tuple[float, float]:
    """What a battle there brings if one wins it, and if it goes as badly as it can."""
    brings = brought(seen, region, worths(seen, region), denial)
    assert seen.seat is not None
    others = [value for seat, value in enumerate(brings) if seat != seen.seat]
    return brings[seen.seat], min(others)


def pope_move(seen: Observation) -> Move:
    """A Bishop that sends the Pope where he is more in the others' way than in one's own, or off (R9); in
    1995, the only one there is (R43)."""
    return max(
        [move for move in seen.legal if move.card == "bishop"], key=lambda move: _hindrance(seen, move)
    )


def _hindrance(seen: Observation, move: Move) -> float:
    if move.region is None:
        return 0.0
    won, lost = _either_way(seen, move.region, 1.0)
    return -lost - won
