"""Ratings of an edition, the best first. A rating from few tables is marked as provisional."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import User
from games.leagues import ratings as computed
from games.leagues.models import Rating
from games.leagues.models.rated import BEST_FIRST
from games.rulebook import edition_name

SCALE = 40  # steps of a rating are shown so many times as large, for whole numbers to tell people apart

MOST_RATINGS = 1000


@dataclass(frozen=True)
class RatingRow:
    """Somebody's rating, as a list shows it."""

    person: User
    edition: str
    shown: int
    tables: int
    is_provisional: bool

    @property
    def told(self) -> str:
        """With a minus sign that is as wide as a digit."""
        return str(self.shown).replace("-", "\u2212")

    @property
    def game(self) -> str:
        """What the edition is called."""
        return edition_name(self.edition)


def rating_row(rating: Rating) -> RatingRow:
    """The number that is shown is what somebody is almost surely worth: newcomers begin at 0."""
    value = computed.Rating(rating.mu, rating.sigma, rating.tables)
    shown = round(SCALE * value.ordinal)
    return RatingRow(rating.user, rating.edition, shown, rating.tables, value.is_provisional)


def ratings_of(edition: str) -> QuerySet[Rating]:
    """The thousand best, the best first; nobody who has closed their account."""
    people = Rating.objects.filter(edition=edition, user__deleted_at=None).select_related("user")
    return people.order_by(BEST_FIRST, "user")[:MOST_RATINGS]
