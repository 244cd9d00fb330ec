"""Promises that a table can judge by itself, from what it saw happen. A pure room: values go in, a judgement
comes out; nothing here knows who plays, what time it is, or anything that the whole table does not.
"""

from .course import Count, Deed, GameCut, Happening, SeatLeft, counted
from .judging import BROKEN, KEPT, NO_ATTACK, OPEN, PASSES, POPE, VOID, Judgement, Pledge, judge

__all__ = [
    "BROKEN",
    "KEPT",
    "NO_ATTACK",
    "OPEN",
    "PASSES",
    "POPE",
    "VOID",
    "Count",
    "Deed",
    "GameCut",
    "Happening",
    "Judgement",
    "Pledge",
    "SeatLeft",
    "counted",
    "judge",
]
