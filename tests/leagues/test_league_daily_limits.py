"""No organiser fills players' mailboxes: decisions that email people are counted by the day."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.models import League, Season
from games.leagues.services.account_closing import leave_everything
from games.leagues.services.audit_log import DECISIONS_TO_ONE_A_DAY
from games.leagues.services.cancellation import cancel
from games.leagues.services.founding import add_organiser, change_league, remove_assistant
from games.leagues.services.league_pause import pause_league, resume_league
from games.leagues.services.season_changes import change_season
from games.leagues.services.season_plans import SEASONS_A_DAY, plan_season
from games.leagues.services.table_deadlines import extend_by_hand
from games.services import Refused
from tests.clocks.passing import HOUR, Wall
from tests.leagues import world
from tests.leagues.world import DAY, TERMS

pytestmark = pytest.mark.django_db
Role = world.Organiser.Role


def told(user: User) -> int:
    return OutgoingEmail.objects.filter(to_user=user, kind="league_event").count()


def repeat_until_refused(act: Callable[[int], object]) -> None:
    refused = ""
    for number in range(DECISIONS_TO_ONE_A_DAY + 1):
        try:
            act(number)
        except Refused as error:
            refused = str(error)
            break
    assert "Try again tomorrow" in refused


def describe(league: League, by: User, about: str) -> None:
    change_league(league, by, name=league.name, about=about, is_private=False, reason="Better.")


@pytest.fixture
def season(wall: Wall, anna: User, bruno: User, carla: User) -> Season:
    return world.a_running_season(anna, [anna, bruno, carla], size=3, rounds=1)


def test_describing_a_league_again_and_again_is_refused(season: Season, anna: User, bruno: User) -> None:
    league = season.league
    repeat_until_refused(lambda number: describe(league, anna, f"About {number}"))
    assert told(bruno) == DECISIONS_TO_ONE_A_DAY
    league.refresh_from_db()
    assert league.about == f"About {DECISIONS_TO_ONE_A_DAY - 1}"


def test_no_limit_keeps_an_organiser_from_closing_their_account(
    season: Season, anna: User, bruno: User
) -> None:
    repeat_until_refused(lambda number: describe(season.league, anna, f"About {number}"))
    leave_everything(anna)
    assert not season.league.organisers.exists()
    assert told(bruno) == DECISIONS_TO_ONE_A_DAY + 1


@pytest.mark.long
def test_pausing_and_going_on_is_refused(wall: Wall, season: Season, anna: User, bruno: User) -> None:
    def pause_and_go_on(number: int) -> None:
        pause_league(season.league, anna, wall.now + 2 * DAY, "A pause.")
        wall.now += HOUR / 60
        resume_league(season.league, anna, "It is over.")

    repeat_until_refused(pause_and_go_on)
    assert told(bruno) == DECISIONS_TO_ONE_A_DAY


@pytest.mark.long
def test_changing_a_season_again_and_again_is_refused(season: Season, anna: User, bruno: User) -> None:
    repeat_until_refused(lambda number: change_season(season, anna, reason="Longer.", table_days=61 + number))
    assert told(bruno) == DECISIONS_TO_ONE_A_DAY


@pytest.mark.long
def test_giving_a_table_hours_again_and_again_is_refused(season: Season, anna: User, bruno: User) -> None:
    (table,) = world.seat_by_hand(season.divisions.get().rounds.get(), [anna, bruno])
    repeat_until_refused(lambda number: extend_by_hand(table, anna, 1, f"Reason {number}"))
    assert told(bruno) == DECISIONS_TO_ONE_A_DAY


@pytest.mark.long
def test_making_someone_an_assistant_again_and_again_is_refused(
    season: Season, anna: User, dario: User
) -> None:
    def make_and_remove(number: int) -> None:
        assistant = add_organiser(season.league, anna, dario, "Welcome.", Role.ASSISTANT)
        remove_assistant(assistant, anna, "No.")

    repeat_until_refused(make_and_remove)
    assert told(dario) == DECISIONS_TO_ONE_A_DAY


@pytest.mark.long
def test_others_are_told_nonetheless(season: Season, anna: User, bruno: User, dario: User) -> None:
    test_making_someone_an_assistant_again_and_again_is_refused(season, anna, dario)
    describe(season.league, anna, "On Fridays.")
    assert told(bruno) == 1


@pytest.mark.long
def test_planning_and_cancelling_is_refused(wall: Wall, anna: User) -> None:
    league = world.a_league(anna)
    dates = {"opens_at": wall.now, "signup_ends_at": wall.now + 7 * DAY, "begins_at": wall.now + 14 * DAY}
    for _number in range(SEASONS_A_DAY):
        cancel(plan_season(league, anna, terms=TERMS, **dates), anna, "No.")
    with pytest.raises(Refused, match="tomorrow"):
        plan_season(league, anna, terms=TERMS, **dates)
