"""Ratings of players as lists and pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import QuerySet

from accounts.models import User
from games.leagues.models import Rating
from games.leagues.models.ratings import BEST_FIRST
from games.leagues.scoring import ratings as computed

MOST_RATINGS = 1000


@dataclass(frozen=True)
class RatingRow:
    """A player's rating as a list shows it."""

    person: User
    edition: str
    value: computed.ComputedRating


def rating_row(rating: Rating) -> RatingRow:
    """Return the row of a rating."""
    value = computed.ComputedRating(rating.mu, rating.sigma, rating.tables)
    return RatingRow(rating.user, rating.edition, value)


def ratings_of(edition: str) -> QuerySet[Rating]:
    """Return the thousand best ratings, best first, without people who have no page for others."""
    shown = Rating.objects.filter(edition=edition, user__is_active=True, user__hides_page=False)
    people = shown.select_related("user")
    return people.order_by(BEST_FIRST, "user")[:MOST_RATINGS]
