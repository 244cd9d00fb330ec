"""Where a bot fights, and where its Bishop sends the Pope."""

from games.bots.bot_profiles import BotProfile
from games.bots.cards import mean_punch, punch
from games.bots.regions import brought, worths
from games.rules import Move, Observation


def place_move(profile: BotProfile, seen: Observation) -> Move:
    """Return the region with the best balance of gain and loss with this hand (R3)."""
    confidence = _confidence(profile, seen)
    return max(seen.legal, key=lambda move: _prospect(profile, seen, str(move.region), confidence))


def _confidence(profile: BotProfile, seen: Observation) -> float:
    """Return how likely the seat wins the next battle, by its hand and what the others may hold."""
    mine = punch(seen.hand or ())
    others = [size for seat, size in enumerate(seen.hand_sizes) if seat != seen.seat]
    theirs = sum(others) * mean_punch(profile, seen, winter=False)
    return (mine + 5.0) / (mine + theirs + 5.0 * seen.players)


def _prospect(profile: BotProfile, seen: Observation, region: str, confidence: float) -> float:
    won, lost = _either_way(seen, region, profile.denial(seen.players))
    return confidence * won + (1.0 - confidence) * lost


def _either_way(seen: Observation, region: str, denial: float) -> tuple[float, float]:
    """Return what a battle there brings if the seat wins it, and if it goes as badly as possible."""
    brings = brought(seen, region, worths(seen, region), denial)
    assert seen.seat is not None
    others = [value for seat, value in enumerate(brings) if seat != seen.seat]
    return brings[seen.seat], min(others)


def pope_move(seen: Observation) -> Move:
    """Return a Bishop that sends the Pope where he hinders the others more than this seat, or off (R9).

    In 1995 there is only one way to play him (R43).
    """
    return max(
        [move for move in seen.legal if move.card == "bishop"], key=lambda move: _hindrance(seen, move)
    )


def _hindrance(seen: Observation, move: Move) -> float:
    if move.region is None:
        return 0.0
    won, lost = _either_way(seen, move.region, 1.0)
    return -lost - won
