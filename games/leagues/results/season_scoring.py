"""A season's columns as scoring rules."""

from __future__ import annotations

from fractions import Fraction

from games.leagues.models import Season
from games.leagues.scoring.scoring_methods import (
    ByeRule,
    ScoringMethod,
    ScoringRules,
    SplitRule,
    TieBreak,
    placement_at,
)
from games.models import MAX_SEATS, MIN_SEATS


def scoring_rules_of(season: Season) -> ScoringRules:
    """Return the season's scoring rules. Lots are drawn from the seed published with the draw."""
    return ScoringRules(
        scoring=ScoringMethod(season.scoring),
        placement=_placement(season),
        tie_breaks=tuple([TieBreak(one) for one in season.tie_breaks]),
        split=SplitRule(season.split),
        bye=ByeRule(season.bye_points),
        lot_seed=bytes.fromhex(season.seed),
    )


def _placement(season: Season) -> dict[int, tuple[Fraction, ...]]:
    """Return the season's own points by place, for tables of every size."""
    points = [Fraction(point) for point in season.placement]
    if len(points) != season.size:
        return {}
    return {size: placement_at(size, points) for size in range(MIN_SEATS, MAX_SEATS + 1)}
