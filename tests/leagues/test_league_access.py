"""The people of a league: everyone who was in a season of it, runs it, substitutes or is invited."""

from typing import Any

import pytest

from accounts.models import User
from games.leagues.access import LeagueAccess, readable_leagues
from games.leagues.models import Registration, Season
from tests.leagues.world import a_league, a_season

pytestmark = pytest.mark.django_db


@pytest.fixture
def season(anna: User) -> Season:
    return a_season(a_league(anna, is_private=True))


def is_one(season: Season, user: User | None) -> bool:
    """Asked at the league's door, and of the lists that name leagues: both say the same."""
    is_person = LeagueAccess(season.league, user).is_person
    assert readable_leagues(user).filter(pk=season.league_id).exists() == is_person
    return is_person


def test_an_organiser_is_and_a_stranger_or_no_one_is_not(season: Season, anna: User, stranger: User) -> None:
    assert is_one(season, anna)
    assert not is_one(season, stranger)
    assert not is_one(season, None)


@pytest.mark.parametrize("state", Registration.State.values)
def test_anyone_who_was_in_a_season_is_however_they_went(season: Season, bruno: User, state: str) -> None:
    season.entries.create(user=bruno, state=state)
    assert is_one(season, bruno)


@pytest.mark.parametrize("stopped", [False, True])
def test_anyone_who_helps_or_has_helped_is(season: Season, bruno: User, stopped: bool) -> None:
    season.substitutes.create(user=bruno, stopped_at=season.opens_at if stopped else None)
    assert is_one(season, bruno)


@pytest.mark.parametrize(("state", "reads"), [("sent", True), ("declined", True), ("withdrawn", False)])
def test_anyone_who_is_invited_is_until_that_is_taken_back(
    season: Season, anna: User, bruno: User, state: str, reads: bool
) -> None:
    season.invited.create(email=bruno.email, by=anna, state=state)
    assert is_one(season, bruno) == reads


def test_people_of_one_league_are_not_those_of_another(season: Season, anna: User, bruno: User) -> None:
    other: Any = a_season(a_league(anna, "Another", is_private=True))
    other.entries.create(user=bruno, state="playing")
    assert not is_one(season, bruno)
