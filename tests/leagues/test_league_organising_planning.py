"""A season is planned on one page: everything is set as is usual, what does not fit is told at its field, all
at once, and nothing changes once the sign-up is open."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import clock
from accounts.models import User
from games.leagues.models import AuditEvent, League, Season
from games.leagues.services.lifecycle import open_sign_up
from games.models import Table
from tests.clocks.passing import Wall
from tests.leagues.organisers_desk import as_shown, plan_page, text_of
from tests.leagues.world import a_league, a_season

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]
DAY = timedelta(days=1)


@pytest.fixture
def league(wall: Wall, anna: User) -> League:
    return a_league(anna)


@pytest.fixture
def desk(anna: User, signed_in: SignedIn) -> Client:
    return signed_in(anna)


def plan(desk: Client, league: League, **other: Any) -> Any:
    """The plan as the page shows it, but for what the test says, is sent."""
    return desk.post(reverse("plan_season", args=[league.pk]), plan_page(desk, league.pk) | other)


def test_the_page_as_it_is_shown_plans_a_season(wall: Wall, desk: Client, league: League) -> None:
    assert plan(desk, league)["Location"] == reverse("organise", args=[league.pk])
    season = Season.objects.get()
    assert (season.state, season.size, season.rounds) == (Season.State.PLANNED, 4, 4)
    assert season.opens_at.date() == (wall.now + DAY).date()
    assert season.signup_ends_at.date() == (wall.now + 15 * DAY).date()
    assert season.tie_breaks == ["head_to_head", "wins", "regions", "strength_of_schedule", "lot"]


def test_it_holds_all_terms_of_its_tables(desk: Client, league: League) -> None:
    plan(
        desk, league, pace="days", chat="public", is_anonymous="yes", variants=["bigger-kingdoms"], match="20"
    )
    terms = Season.objects.get().terms
    table = Table(**terms)
    assert (table.pace, table.chat, table.is_anonymous, table.target) == ("days", "public", True, 20)
    assert table.options.variants == ("bigger-kingdoms", "playing-for-points")
    assert (table.absent, table.time_by) == (Table.Absent.BOT, Table.TimeBy.ALL)


def test_a_sign_up_that_opens_today_opens_at_once(wall: Wall, desk: Client, league: League) -> None:
    plan(desk, league, opens_at=wall.now.date().isoformat())
    assert Season.objects.get().opens_at == wall.now


def test_the_page_sent_twice_plans_one(desk: Client, league: League) -> None:
    form = plan_page(desk, league.pk)
    answers = [desk.post(reverse("plan_season", args=[league.pk]), form) for _time in range(2)]
    assert {answer.status_code for answer in answers} == {302}
    assert Season.objects.count() == 1


def test_what_follows_is_told_before_anything_is_planned(desk: Client, league: League) -> None:
    answer = plan(desk, league, division_size=12, most_divisions=2, promoted=2, relegated=2, look="1")
    told = text_of(answer)
    assert "There are up to 2 divisions, with up to 12 in each." in told
    assert "The season does not begin with fewer than 4 players." in told
    assert "In each round, everyone plays at one table of 4 players." in told
    assert "Each table has 60 days." in told
    assert "2 players from the top of each lower division are promoted." in told
    assert not Season.objects.exists()
    again = as_shown(answer.context["form"])
    assert (again["division_size"], again["promoted"]) == ("12", "2")


def test_who_sits_out_and_who_meets_all_is_told(desk: Client, league: League) -> None:
    told = text_of(plan(desk, league, size=3, division_size=7, rounds=4, look="1"))
    assert "A full division has 7 players: 1 table of 4 and 1 table of 3." in told
    assert "some tables have a player more or a player fewer" in told
    duels = text_of(plan(desk, league, size=2, division_size=4, rounds=3, look="1"))
    assert "In each round, everyone plays one duel." in duels
    assert "In a full division, everyone meets all 3 other players." in duels


WRONG: list[tuple[dict[str, Any], set[str]]] = [
    ({"opens_at": "2030-01-09", "signup_ends_at": "2030-01-02"}, {"signup_ends_at"}),
    ({"signup_ends_at": "2020-01-01"}, {"signup_ends_at"}),
    ({"begins_at": "+1"}, {"begins_at"}),
    ({"opens_at": "the first of May"}, {"opens_at"}),
    ({"opens_at": "0001-01-01", "begins_at": "9999-12-31"}, {"opens_at", "begins_at"}),
    ({"division_size": 1}, {"division_size"}),
    ({"division_size": 3}, {"division_size"}),
    ({"most_divisions": 2, "promoted": 7, "relegated": 6}, {"promoted"}),
    ({"most_divisions": 1, "promoted": 1}, {"promoted"}),
    ({"rounds": 0}, {"rounds"}),
    ({"rounds": "9" * 5000}, {"rounds"}),
    ({"size": 7}, {"size"}),
    ({"min_players": 13}, {"min_players"}),
    ({"placement": "6 3 one 0"}, {"placement"}),
    ({"placement": "6 3 1"}, {"placement"}),
    ({"placement": "1 " * 100}, {"placement"}),
    ({"tie_breaks_0": "wins", "tie_breaks_1": "wins"}, {"tie_breaks"}),
    ({"tie_breaks_0": "age"}, {"tie_breaks"}),
    ({"edition": "1995", "match": "20"}, {"edition"}),
    ({"match": "another"}, {"target"}),
    ({"pace": "never", "chat": "loud", "watch": "cats"}, {"pace", "chat", "watch"}),
    ({"format": "", "scoring": "goals", "late": "x" * 10_000}, {"format", "scoring", "late"}),
    ({"confirm_days": "", "ask_hours": 0, "pause_days": -1}, {"confirm_days", "ask_hours", "pause_days"}),
    ({"format": "all", "rounds": 1}, {"rounds"}),
]


@pytest.mark.parametrize(("typed", "fields"), WRONG)
@pytest.mark.long
def test_what_does_not_fit_is_told_at_its_field_and_what_was_typed_stays(
    wall: Wall, desk: Client, league: League, typed: dict[str, Any], fields: set[str]
) -> None:
    if typed.get("begins_at") == "+1":
        typed = {"begins_at": (wall.now + 16 * DAY).date().isoformat()}
    answer = plan(desk, league, **typed)
    assert answer.status_code == 400
    assert set(answer.context["form"].errors) >= fields, answer.context["form"].errors
    assert not Season.objects.exists()
    again = as_shown(answer.context["form"])
    assert {name: str(again[name]) for name in typed if again.get(name)} == {
        name: str(value) for name, value in typed.items() if again.get(name)
    }


def test_all_that_does_not_fit_is_told_at_once(desk: Client, league: League) -> None:
    typed = {
        "rounds": 0,
        "division_size": 1,
        "placement": "a b",
        "tie_breaks_1": "head_to_head",
        "match": "another",
    }
    errors = plan(desk, league, **typed).context["form"].errors
    assert set(errors) >= {"rounds", "division_size", "placement", "tie_breaks", "target"}


def test_folded_parts_with_something_wrong_stand_open(desk: Client, league: League) -> None:
    sections = plan(desk, league, ask_hours=0).context["form"].sections
    assert [section.has_errors for section in sections].count(True) == 1
    assert text_of(plan(desk, league, ask_hours=0)).count('<details class="more" open>') == 1


def test_looking_at_the_page_plans_nothing(desk: Client, league: League) -> None:
    desk.get(reverse("plan_season", args=[league.pk]), plan_page(desk, league.pk))
    assert not Season.objects.exists()


def test_a_planned_season_is_changed_on_the_same_page(wall: Wall, desk: Client, league: League) -> None:
    season = a_season(league, opens_at=wall.now + 2 * DAY, signup_ends_at=wall.now + 9 * DAY,
                      begins_at=wall.now + 20 * DAY)  # fmt: skip
    address = reverse("replan_season", args=[league.pk, season.number])
    form = as_shown(desk.get(address).context["form"])
    assert desk.post(address, form | {"rounds": 6, "is_rated": "no"}).status_code == 302
    changed = Season.objects.get()
    assert (changed.rounds, changed.is_rated) == (6, False)
    assert (changed.opens_at, changed.begins_at) == (season.opens_at, season.begins_at)
    assert changed.terms["pace"] == season.terms["pace"]
    assert league.events.filter(kind=AuditEvent.Kind.REPLANNED).exists()


def test_a_change_that_does_not_fit_changes_nothing(desk: Client, league: League) -> None:
    season = a_season(league)
    address = reverse("replan_season", args=[league.pk, season.number])
    form = as_shown(desk.get(address).context["form"])
    answer = desk.post(address, form | {"rounds": 6, "division_size": 1})
    assert "division_size" in answer.context["form"].errors
    assert Season.objects.get().rounds == 4


def test_an_open_season_shows_its_rules_and_that_they_stay(
    wall: Wall, anna: User, desk: Client, league: League
) -> None:
    season = a_season(league)
    address = reverse("replan_season", args=[league.pk, season.number])
    form = as_shown(desk.get(address).context["form"])
    open_sign_up(season, anna, clock.now())
    for answer in (desk.get(address, follow=True), desk.post(address, form | {"rounds": 6}, follow=True)):
        assert "the rules can no longer be changed" in text_of(answer)
        assert "These rules are final." in text_of(answer)
    assert Season.objects.get().rounds == 4


def test_the_next_season_begins_as_the_last_one_was(desk: Client, league: League) -> None:
    a_season(league, rounds=7, state=Season.State.CLOSED, closed_at=clock.now())
    form = plan_page(desk, league.pk)
    assert form["rounds"] == 7
    assert plan(desk, league).status_code == 302
    assert Season.objects.get(number=2).rounds == 7


def test_after_a_long_pause_the_next_season_is_planned_from_tomorrow(
    wall: Wall, desk: Client, league: League
) -> None:
    a_season(league, state=Season.State.CLOSED, closed_at=wall.now)
    wall.now += 400 * DAY
    assert plan(desk, league).status_code == 302
    season = Season.objects.get(number=2)
    assert (season.opens_at, season.begins_at) == (wall.now + DAY, wall.now + 11 * DAY)


def test_while_a_season_has_yet_to_begin_no_other_is_planned(desk: Client, league: League) -> None:
    a_season(league)
    answer = desk.get(reverse("plan_season", args=[league.pk]), follow=True)
    assert "Season 1 hasn’t begun yet" in text_of(answer)


def test_days_are_those_of_the_organisers_own_calendar(
    wall: Wall, anna: User, desk: Client, league: League
) -> None:
    anna.time_zone = "Pacific/Auckland"
    anna.save()
    with timezone.override(anna.zone):  # in which their browser would show them the form
        plan(desk, league)
    ends = Season.objects.get().signup_ends_at.astimezone(anna.zone)
    assert (ends.hour, ends.minute) == (23, 59)


def test_tables_of_a_private_league_are_watched_by_no_one_unless_it_is_said(
    wall: Wall, anna: User, desk: Client
) -> None:
    assert plan_page(desk, a_league(anna, is_private=True).pk)["watch"] == Table.Watch.NOBODY
    assert plan_page(desk, a_league(anna).pk)["watch"] == Table.Watch.ANYONE
