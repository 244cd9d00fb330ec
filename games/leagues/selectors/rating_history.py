"""How a player's rating in each edition changed, for a chart and the table behind it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from accounts.models import User
from games.leagues.models import Rating, RatingChange
from games.leagues.scoring.ratings import ComputedRating
from games.leagues.selectors.player_ratings import RatingRow, rating_row

MOST_CHANGES = 200


@dataclass(frozen=True)
class RatedMoment:
    """A rating after a table, and by how much the table changed it."""

    at: datetime
    value: ComputedRating
    change: int

    @property
    def change_text(self) -> str:
        """The change with its sign."""
        sign = "+" if self.change > 0 else "\N{MINUS SIGN}" if self.change else ""
        return f"{sign}{abs(self.change)}"


@dataclass(frozen=True)
class RatingHistory:
    """A player's rating in one edition now, and its latest moments in order."""

    now: RatingRow
    moments: tuple[RatedMoment, ...]

    @property
    def latest_first(self) -> tuple[RatedMoment, ...]:
        return self.moments[::-1]


def rating_histories(person: User) -> list[RatingHistory]:
    """Return the person's ratings, each with its history, the newest edition first, in two queries."""
    ratings = Rating.objects.filter(user=person).select_related("user").order_by("-edition")
    found = defaultdict[str, list[RatingChange]](list)
    for change in RatingChange.objects.filter(user=person).order_by("at", "table"):
        found[change.edition].append(change)
    return [RatingHistory(rating_row(rating), _moments(found[rating.edition])) for rating in ratings]


def _moments(changes: list[RatingChange]) -> tuple[RatedMoment, ...]:
    moments, before = list[RatedMoment](), ComputedRating()
    for change in changes:
        value = ComputedRating(change.mu, change.sigma)
        moments.append(RatedMoment(change.at, value, value.shown - before.shown))
        before = value
    return tuple(moments[-MOST_CHANGES:])
