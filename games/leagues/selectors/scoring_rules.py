"""What tables and byes of a season score, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from games.leagues.models import Season
from games.leagues.results.season_scoring import scoring_rules_of
from games.leagues.selectors.exact_numbers import as_people_read
from games.leagues.selectors.size_rules import other_sizes
from games.models import MIN_SEATS


def points_rules(season: Season) -> Iterator[str]:
    """Yield what a game's result scores."""
    if season.scoring == Season.Scoring.PLACEMENT:
        yield from _placement_rules(season)
    elif season.scoring == Season.Scoring.POINTS:
        yield _(
            "Each region held at the end of a game scores 1 point. A victory by a connected group scores 5 "
            "more (Playing for Points)."
        )
    else:
        yield _(
            "A victory scores 1 point, and nothing else scores. Players who share a victory share the point."
        )
    yield _("An abandoned table gives no one points.")


def _placement_rules(season: Season) -> Iterator[str]:
    for size in (season.size, *other_sizes(season)):
        # Translators: size is a number of players; places is a list such as "1st place: 6, 2nd place: 3"
        text = _("Points for each place at a table of %(size)d. %(places)s.")
        yield text % {"size": size, "places": _places_text(season, size)}
    if season.placement and season.size > MIN_SEATS:
        yield _(
            "First and last place give the same points at every table. At tables of other sizes, the places "
            "between are read off the straight lines between the season’s points."
        )
    yield _("The winners of a table share 1st place. If no one wins, all players share it.")
    yield _(
        "The other players follow by the regions they hold at the end. In a match, the regions of all its "
        "games are added up, plus 5 for each victory by a connected group."
    )
    yield _("Players who share a place divide points equally: two in 1st place divide those for 1st and 2nd.")


def _places_text(season: Season, size: int) -> str:
    points = scoring_rules_of(season).points_by_place(size)
    return ", ".join([f"{ordinal(place)}: {as_people_read(one)}" for place, one in enumerate(points, 1)])


def ordinal(place: int) -> str:
    """Return a place as an ordinal."""
    return {
        1: _("1st place"),
        2: _("2nd place"),
        3: _("3rd place"),
        4: _("4th place"),
        5: _("5th place"),
        6: _("6th place"),
    }[place]


def bye_rules(season: Season) -> Iterator[str]:
    """Yield who has a bye, and what it scores."""
    if season.size > MIN_SEATS:
        yield _("If fewer than 3 players are left in a division, they have a bye: they sit the round out.")
    else:
        yield _(
            "If a division has an odd number of players, one of them has a bye in each round: they sit it "
            "out. Byes go first to the players who have had the fewest. No one has a second bye before "
            "everyone has had one."
        )
    if season.bye_points == Season.ByePoints.AVERAGE:
        yield _(
            "A bye scores the average of what all the player’s own tables give them, including tables of "
            "later rounds. It never scores more than the average of what all seats of the division give, no "
            "matter who held them. If the player has no table, it scores that."
        )
        yield _(
            "A bye counts as soon as its round is over. It changes with each table that is counted later."
        )
    else:
        yield _("A bye scores no points.")
