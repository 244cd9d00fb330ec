"""Computer players: a function from an observation to a legal move that reads nothing else.

Pure like the rules: no clock, no randomness, no state. The same observation always gets the same answer.
Strategist also takes a seed and a budget. Only the files that measure bots use randomness or the clock:
`duel.py`, `seated_players.py`, `bot_records.py` and `planted_blunders.py`. `thinker.py` cuts thoughts off by
the clock.
"""

from games.bots.bot_profiles import PROFILES
from games.bots.keeping import hand_move, keep_move
from games.bots.placing import place_move
from games.rules import Move, Observation, Phase

from .fighting import battle_move

STRENGTHS: tuple[str, ...] = tuple(PROFILES)

_ANSWERS = {Phase.PLACE: place_move, Phase.BATTLE: battle_move, Phase.HAND: hand_move, Phase.KEEP: keep_move}


def choose(strength: str, observation: Observation) -> Move:
    """Return the move that a bot of this strength makes for the observing seat.

    Raises ValueError for an unknown strength, or when the seat has no decision to make.
    """
    if strength not in PROFILES:
        raise ValueError(f"unknown strength {strength!r}: bots are {' or '.join(STRENGTHS)}")
    if observation.seat is None or observation.asked is None or not observation.legal:
        raise ValueError("a bot answers only when its seat is asked")
    return _ANSWERS[observation.asked.kind](PROFILES[strength], observation)
