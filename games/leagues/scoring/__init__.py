"""How tables become points, points a standing, and a standing the divisions of the next season. A pure room:
values go in, values come out; nothing here knows people, the time, or any chance but a published seed."""

from .facts import BadFacts, ByeFacts, Holder, How, SeatFacts, TableFacts
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

__all__ = [
    "USUAL_TIE_BREAKS",
    "BadFacts",
    "BadRules",
    "Bye",
    "ByeFacts",
    "Holder",
    "How",
    "Scoring",
    "ScoringRules",
    "SeatFacts",
    "Split",
    "TableFacts",
    "TieBreak",
    "usual_placement",
]
