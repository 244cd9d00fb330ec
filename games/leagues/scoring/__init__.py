"""How tables become points, points a standing, and a standing the divisions of the next season. A pure room:
values go in, values come out; nothing here knows people, the time, or any chance but a published seed."""

from .facts import BadFacts, ByeFacts, Holder, How, SeatFacts, TableFacts
from .moving import BadMove, Move, Moved, next_divisions, require_movable
from .points import Score, Term, What, score_of, scores_of, shares_of
from .records import RoundResult
from .rules import (
    USUAL_TIE_BREAKS,
    BadRules,
    Bye,
    Scoring,
    ScoringRules,
    Split,
    TieBreak,
    usual_placement,
)
from .standings import Help, Row, Standings, standings
from .tie_breaks import Decided, drawn_order

__all__ = [
    "USUAL_TIE_BREAKS",
    "BadFacts",
    "BadMove",
    "BadRules",
    "Bye",
    "ByeFacts",
    "Decided",
    "Help",
    "Holder",
    "How",
    "Move",
    "Moved",
    "RoundResult",
    "Row",
    "Score",
    "Scoring",
    "ScoringRules",
    "SeatFacts",
    "Split",
    "Standings",
    "TableFacts",
    "Term",
    "TieBreak",
    "What",
    "drawn_order",
    "next_divisions",
    "require_movable",
    "score_of",
    "scores_of",
    "shares_of",
    "standings",
    "usual_placement",
]
