"""What a league is stored as."""

from games.leagues.models.leagues import Deed, League, LeagueQuerySet, Organiser
from games.leagues.models.rated import Rating, RatingChange
from games.leagues.models.rounds import Award, Bye, Chair, LeagueTable, Round
from games.leagues.models.seasons import (
    LARGEST_DIVISION,
    MOST_DIVISIONS,
    MOST_ROUNDS,
    Division,
    Entry,
    Invited,
    Season,
    Standing,
)
from games.leagues.models.substitutes import Ask, Substitute, Vacancy

__all__ = [
    "LARGEST_DIVISION",
    "MOST_DIVISIONS",
    "MOST_ROUNDS",
    "Ask",
    "Award",
    "Bye",
    "Chair",
    "Deed",
    "Division",
    "Entry",
    "Invited",
    "League",
    "LeagueQuerySet",
    "LeagueTable",
    "Organiser",
    "Rating",
    "RatingChange",
    "Round",
    "Season",
    "Standing",
    "Substitute",
    "Vacancy",
]
