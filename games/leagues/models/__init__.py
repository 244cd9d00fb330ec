"""The database models of leagues."""

from games.leagues.models.leagues import AuditEvent, League, LeagueQuerySet, Organiser
from games.leagues.models.rounds import (
    Award,
    Bye,
    LeagueTable,
    OpenSeat,
    Rating,
    Round,
    SeatAssignment,
    Substitute,
    SubstituteOffer,
)
from games.leagues.models.seasons import (
    LARGEST_DIVISION,
    MOST_DIVISIONS,
    MOST_ROUNDS,
    Division,
    Invitation,
    Registration,
    Season,
    Standing,
)

__all__ = [
    "LARGEST_DIVISION",
    "MOST_DIVISIONS",
    "MOST_ROUNDS",
    "AuditEvent",
    "Award",
    "Bye",
    "Division",
    "Invitation",
    "League",
    "LeagueQuerySet",
    "LeagueTable",
    "OpenSeat",
    "Organiser",
    "Rating",
    "Registration",
    "Round",
    "Season",
    "SeatAssignment",
    "Standing",
    "Substitute",
    "SubstituteOffer",
]
