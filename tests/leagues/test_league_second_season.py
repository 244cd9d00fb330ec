"""A league from its founding to its second season, by the clock alone: who rose, who fell, who comes back."""

from datetime import datetime

import pytest

from accounts.models import User
from games.leagues.models import League, Registration, Season, Standing
from games.leagues.services.founding import found_league
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.registration import confirm, sign_up
from games.leagues.services.season_plans import plan_season
from tests.clocks.passing import Wall
from tests.leagues.world import DAY, TERMS, finish_all, people, person

pytestmark = pytest.mark.django_db


def passed(wall: Wall, moment: datetime | None) -> None:
    assert moment is not None
    wall.now = max(wall.now, moment)
    run_seasons(wall.now)


def open_and_sign_up(wall: Wall, season: Season, users: list[User]) -> None:
    passed(wall, season.opens_at)
    for user in users:
        wall.now += DAY / 1000
        sign_up(season, user)
    passed(wall, season.signup_ends_at)
    for entry in season.entries.filter(state=Registration.State.SIGNED_UP):
        confirm(entry)
    run_seasons(wall.now)
    season.refresh_from_db()
    assert season.state == Season.State.RUNNING


def play(wall: Wall, season: Season) -> None:
    """Its rounds one after the other, as they begin."""
    for number in range(1, season.rounds + 1):
        season.refresh_from_db()
        passed(wall, season.next_action_at)
        for division in season.divisions.all():
            assert finish_all(division.rounds.get(number=number))
        run_seasons(wall.now)
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED


def levels(season: Season) -> dict[str, int]:
    playing = season.entries.filter(state=Registration.State.PLAYING)
    return dict(playing.values_list("user__name", "division__level"))


def order(season: Season, level: int) -> list[str]:
    """The names of a division, the first place first."""
    standings = Standing.objects.filter(division__season=season, division__level=level)
    return list(standings.order_by("place").values_list("entry__user__name", flat=True))


@pytest.mark.long
def test_the_first_rises_the_last_falls_and_gaps_are_filled(wall: Wall, anna: User) -> None:
    league: League = found_league(anna, name="Lega di Lodi")
    season = plan_season(
        league,
        anna,
        terms=TERMS,
        size=3,
        division_size=3,
        most_divisions=2,
        promoted=1,
        min_players=3,
        rounds=2,
        opens_at=wall.now + DAY,
        signup_ends_at=wall.now + 8 * DAY,
        begins_at=wall.now + 12 * DAY,
    )
    users = people(6)
    open_and_sign_up(wall, season, users)
    assert levels(season) == {user.name: 1 if user in users[:3] else 2 for user in users}
    play(wall, season)
    upper, lower = order(season, 1), order(season, 2)

    following = league.seasons.get(number=2)
    assert following.state == Season.State.PLANNED
    assert season.closed_at is not None
    assert season.closed_at + 6 * DAY < following.opens_at <= season.closed_at + 7 * DAY
    kept = dict(following.entries.values_list("user__name", "reserved"))
    assert kept == dict.fromkeys([*upper[:2], lower[0]], 1) | dict.fromkeys([upper[2], *lower[1:]], 2)

    newcomer = person("Newcomer")
    back = [user for user in users if user.name != upper[0]]  # the winner does not come back
    open_and_sign_up(wall, following, [newcomer, *back])
    risen = {upper[1], lower[0], lower[1]}
    assert levels(following) == dict.fromkeys(risen, 1) | dict.fromkeys([upper[2], lower[2], "Newcomer"], 2)
    assert following.seed != season.seed
