"""How strong players have shown themselves. A pure room: finished games go in, in the order in which they
ended, ratings come out, and the same ones whenever they are computed anew."""

from .rating import Rated, Ratings, changes_by, rate
from .values import (
    NEW_MU,
    NEW_SIGMA,
    SETTLED_AFTER,
    BadGame,
    Change,
    Part,
    RatedGame,
    RatedSeat,
    Rating,
)

__all__ = [
    "NEW_MU",
    "NEW_SIGMA",
    "SETTLED_AFTER",
    "BadGame",
    "Change",
    "Part",
    "Rated",
    "RatedGame",
    "RatedSeat",
    "Rating",
    "Ratings",
    "changes_by",
    "rate",
]
