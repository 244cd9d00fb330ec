"""Seasons that have too few players to begin, which their organisers decide about before it's too late.

Nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.db.models import Count, Q, QuerySet

from games.leagues.models import Registration, Season

NOTICE = timedelta(days=3)  # before sign-up ends
_TAKEN = (Registration.State.SIGNED_UP, Registration.State.CONFIRMED)


class Shortage(StrEnum):
    """How far a season with too few players has come."""

    SOON = "soon"  # its sign-up ends soon
    ENDED = "ended"  # its sign-up is over, and players are confirming
    WAITING = "waiting"  # it should have begun, and its sign-up is open for another week


@dataclass(frozen=True)
class ShortSeason:
    """A season with too few players, and how many it has and needs."""

    season: Season
    stage: Shortage
    taken: int

    @property
    def least(self) -> int:
        return max(self.season.min_players, self.season.size)

    @property
    def can_begin(self) -> bool:
        """Whether its players fill a table, so that an organiser can let it begin with them."""
        return self.taken >= self.season.size

    @property
    def since(self) -> datetime:
        """The moment that tells this shortage from others of the same season and stage."""
        moments = {Shortage.WAITING: self.season.short_since, Shortage.ENDED: self.season.asked_at}
        return moments.get(self.stage) or self.season.signup_ends_at


def short_seasons(seasons: QuerySet[Season], now: datetime) -> Iterator[ShortSeason]:
    """Yield the seasons with too few players, from three days before their sign-up ends, in one query."""
    asking = (Season.State.SIGN_UP, Season.State.CONFIRMING)
    late = Q(short_since__isnull=False) | Q(signup_ends_at__lte=now + NOTICE)
    soon = seasons.filter(late, state__in=asking).select_related("league")
    here = Q(entries__user__is_active=True, entries__user__deleted_at=None)
    counted = soon.annotate(
        taken=Count("entries", filter=here & Q(entries__state__in=_TAKEN)),
        unanswered=Count("entries", filter=here & Q(entries__state=Registration.State.SIGNED_UP)),
    )
    for season in counted.order_by("pk"):
        stage = _stage_of(season, season.unanswered, now)
        if stage is not None:
            found = ShortSeason(season, stage, season.taken)
            if found.taken < found.least:
                yield found


def shortage_of(season: Season, now: datetime) -> ShortSeason | None:
    """Return the shortage of this season; None if nothing is to be decided."""
    return next(short_seasons(Season.objects.filter(pk=season.pk), now), None)


def _stage_of(season: Season, unanswered: int, now: datetime) -> Shortage | None:
    """Return how far the season has come; None in the first half of its sign-up, and just before its draw."""
    if season.short_since is not None:
        return Shortage.WAITING
    if season.state == Season.State.CONFIRMING and now >= season.signup_ends_at:
        return Shortage.ENDED if unanswered else None
    opened_at = season.asked_at or season.opens_at
    return Shortage.SOON if now >= opened_at + (season.signup_ends_at - opened_at) / 2 else None
