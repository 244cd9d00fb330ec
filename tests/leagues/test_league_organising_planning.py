"""A season is planned on one page: everything is set as is usual, what does not fit is said at its field, all
at once, and nothing changes once the sign-up is open."""

import re
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
from games.leagues.services.registration import sign_up
from games.leagues.services.season_changes import change_season
from games.leagues.services.sign_up_opening import open_sign_up
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


def test_it_offers_matches_in_its_readers_language(anna: User, desk: Client, league: League) -> None:
    User.objects.filter(pk=anna.pk).update(language="pl")
    shown = text_of(desk.get(reverse("plan_season", args=[league.pk])))
    assert "Jedna partia" in shown


def test_a_sign_up_that_opens_today_opens_at_once(wall: Wall, desk: Client, league: League) -> None:
    plan(desk, league, opens_at=wall.now.date().isoformat())
    assert Season.objects.get().opens_at == wall.now


def test_the_page_sent_twice_plans_one(desk: Client, league: League) -> None:
    form = plan_page(desk, league.pk)
    answers = [desk.post(reverse("plan_season", args=[league.pk]), form) for _time in range(2)]
    assert {answer.status_code for answer in answers} == {302}
    assert Season.objects.count() == 1


def test_what_follows_is_told_before_anything_is_planned(desk: Client, league: League) -> None:
    answer = plan(desk, league, places=23, most_divisions=2, promoted=2, look="1")
    told = text_of(answer)
    assert "There are up to 2 divisions, with up to 12 in each." in told
    assert "Everyone plays at 4 tables. Everyone plays at up to 2 tables at a time." in told
    assert "Each table has 50 days." in told
    assert "2 players move up from each division, and as many move down." in told
    assert not Season.objects.exists()
    again = as_shown(answer.context["form"])
    assert (again["places"], again["promoted"]) == ("23", "2")


def test_who_sits_out_and_who_meets_all_is_told(desk: Client, league: League) -> None:
    told = text_of(plan(desk, league, size=3, places=7, rounds=4, look="1"))
    assert "A full division has 7 players: 1 table of 4 and 1 table of 3." in told
    duels = text_of(plan(desk, league, size=2, places=4, rounds=3, look="1"))
    assert "Everyone plays 3 duels." in duels
    assert "In a full division, everyone meets all 3 other players." in duels


WRONG: list[tuple[dict[str, Any], set[str]]] = [
    ({"opens_at": "2030-01-09", "signup_ends_at": "2030-01-02"}, {"signup_ends_at"}),
    ({"signup_ends_at": "2020-01-01"}, {"signup_ends_at"}),
    ({"begins_at": "+1"}, {"begins_at"}),
    ({"opens_at": "the first of May"}, {"opens_at"}),
    ({"opens_at": "0001-01-01", "begins_at": "9999-12-31"}, {"opens_at", "begins_at"}),
    ({"places": 1}, {"places"}),
    ({"places": 3}, {"places"}),
    ({"places": 1200}, {"places"}),
    ({"places": 24, "most_divisions": 2, "promoted": 7}, {"promoted"}),
    ({"most_divisions": 1, "promoted": 1}, {"promoted"}),
    ({"rounds": 0}, {"rounds"}),
    ({"rounds": "9" * 5000}, {"rounds"}),
    ({"size": 7}, {"size"}),
    ({"table_days": 0}, {"table_days"}),
    ({"placement": "6 3 one 0"}, {"placement"}),
    ({"placement": "6 3 1"}, {"placement"}),
    ({"placement": "1 " * 100}, {"placement"}),
    ({"first_tie_break": "age"}, {"first_tie_break"}),
    ({"edition": "1995", "match": "20"}, {"edition"}),
    ({"match": "another"}, {"match"}),
    ({"pace": "never", "chat": "loud"}, {"pace", "chat"}),
    ({"format": "", "scoring": "goals", "late": "x" * 10_000}, {"format", "scoring", "late"}),
    ({"tables_at_once": 5, "pause_days": -1}, {"tables_at_once", "pause_days"}),
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


def test_numbers_out_of_range_and_old_dates_are_refused_in_words_of_the_site(
    desk: Client, league: League
) -> None:
    wrong = {
        "places": 9999,
        "rounds": 99,
        "pause_days": 9999,
        "table_days": 0,
        "signup_ends_at": "2019-05-01",
    }
    errors = plan(desk, league, **wrong).context["form"].errors
    assert {name: errors[name] for name in wrong} == {
        "places": ["Enter a whole number from 2 to 3120."],
        "rounds": ["Enter a whole number from 1 to 20."],
        "pause_days": ["Enter a whole number from 0 to 365."],
        "table_days": ["Enter a whole number from 1 to 365."],
        "signup_ends_at": ["This date is in the past. Choose a later one."],
    }


def test_too_many_promoted_are_counted_as_they_were_entered(desk: Client, league: League) -> None:
    errors = plan(desk, league, places=24, most_divisions=2, promoted=7).context["form"].errors
    told = "In a division of 12, at most 6 can go up and as many down. Enter fewer."
    assert errors["promoted"] == [told]


def test_all_that_does_not_fit_is_told_at_once(desk: Client, league: League) -> None:
    typed = {
        "rounds": 0,
        "places": 1,
        "placement": "a b",
        "first_tie_break": "",
        "match": "another",
    }
    errors = plan(desk, league, **typed).context["form"].errors
    assert set(errors) >= {"rounds", "places", "placement", "first_tie_break", "match"}


def test_folded_parts_with_something_wrong_or_unusual_stand_open(desk: Client, league: League) -> None:
    def opened(answer: Any) -> list[str]:
        assert answer.content.count(b'<details class="more" open>') == sum(
            section.is_special and section.is_foldable for section in answer.context["form"].sections
        )
        return [one.title for one in answer.context["form"].sections if one.is_foldable and one.is_special]

    address = reverse("plan_season", args=[league.pk])
    assert opened(desk.get(address)) == []
    assert opened(desk.get(address, {"preset": "ladder"})) == ["Promotion and the next season"]
    assert opened(plan(desk, league, look="1")) == []
    assert opened(plan(desk, league, late="nobody", look="1")) == ["Late tables"]
    assert opened(plan(desk, league, pause_days=-1)) == ["Promotion and the next season"]


@pytest.mark.parametrize(
    ("preset", "told"),
    [
        ("club", "one division of up to 24 players. Everyone plays at 4 tables."),
        ("ladder", "up to 3 divisions, with up to 8 in each."),
        ("open", "one division of up to 60 players. Everyone plays at 5 tables."),
        ("duels", "Everyone plays 7 duels. Everyone plays at up to 3 tables at a time."),
    ],
)
def test_a_preset_fills_the_form_and_plans_a_season(
    desk: Client, league: League, preset: str, told: str
) -> None:
    address = reverse("plan_season", args=[league.pk])
    page = desk.get(address, {"preset": preset})
    assert told in text_of(page)
    assert f'href="?preset={preset}" aria-current="true"' in text_of(page)
    assert desk.post(address, as_shown(page.context["form"]) | {"places": 23}).status_code == 302
    season = Season.objects.get()
    assert season.max_players == (24 if preset == "ladder" else 23)
    desk.get(reverse("replan_season", args=[league.pk, 1]), {"preset": "club"})
    assert Season.objects.get().rounds == season.rounds


def test_what_follows_is_shown_as_one_types(wall: Wall, desk: Client, league: League) -> None:
    """Twenty-three in fours, two tables at once, in December: half are done in eleven weeks."""
    typed = plan_page(desk, league.pk) | {"places": 23, "look": "1"}
    address = reverse("plan_season", args=[league.pk])
    part = desk.post(address, typed, headers={"HX-Request": "true"})
    assert part.content.decode().strip().startswith('<section class="sheet" id="follows"')
    told = re.sub("<[^>]*>", "", text_of(part))
    assert "A full division has 23 players: 3 tables of 5 and 2 tables of 4." in told
    begins = part.context["form"].season.begins_at
    for days in (19, 46, 76, 126):  # first tables, 9 out of 10 of them, half of the players, the last table
        day = begins + days * DAY
        assert f"{day:%A} {day.day} {day:%B}" in told
    wrong = desk.post(address, typed | {"places": 2, "rounds": "x"}, headers={"HX-Request": "true"})
    told = re.sub("<[^>]*>", "", text_of(wrong))
    assert "Tables per player: Enter a whole number." in told
    assert "Places: A division needs enough players" in told
    assert not Season.objects.exists()


def test_what_follows_from_a_change_is_shown_before_a_reason_is_given(
    wall: Wall, anna: User, desk: Client, league: League
) -> None:
    season = a_season(league)
    open_sign_up(season, anna, clock.now())
    address = reverse("replan_season", args=[league.pk, season.number])
    typed = as_shown(desk.get(address).context["form"]) | {"rounds": 6, "look": "1"}
    assert "Everyone plays at 6 tables." in text_of(desk.post(address, typed, headers={"HX-Request": "true"}))
    assert Season.objects.get().rounds == 4


def test_looking_at_the_page_plans_nothing(desk: Client, league: League) -> None:
    desk.get(reverse("plan_season", args=[league.pk]), plan_page(desk, league.pk))
    assert not Season.objects.exists()


def test_a_planned_season_is_changed_on_the_same_page(wall: Wall, desk: Client, league: League) -> None:
    season = a_season(league, opens_at=wall.now + 2 * DAY, signup_ends_at=wall.now + 9 * DAY,
                      begins_at=wall.now + 20 * DAY)  # fmt: skip
    address = reverse("replan_season", args=[league.pk, season.number])
    form = as_shown(desk.get(address).context["form"])
    typed = {"rounds": 6, "late": "nobody", "first_tie_break": "regions"}
    assert desk.post(address, form | typed).status_code == 302
    changed = Season.objects.get()
    assert changed.tie_breaks == ["regions", "head_to_head", "wins", "strength_of_schedule", "lot"]
    assert (changed.rounds, changed.late) == (6, "nobody")
    assert (changed.opens_at, changed.begins_at) == (season.opens_at, season.begins_at)
    assert changed.terms["pace"] == season.terms["pace"]
    assert league.events.filter(kind=AuditEvent.Kind.REPLANNED).exists()


def test_a_change_that_does_not_fit_changes_nothing(desk: Client, league: League) -> None:
    season = a_season(league)
    address = reverse("replan_season", args=[league.pk, season.number])
    form = as_shown(desk.get(address).context["form"])
    answer = desk.post(address, form | {"rounds": 6, "places": 1})
    assert "places" in answer.context["form"].errors
    assert Season.objects.get().rounds == 4


def test_an_open_season_changes_only_in_what_is_fair(
    wall: Wall, anna: User, bruno: User, desk: Client, league: League
) -> None:
    season = a_season(league, rounds=3)
    open_sign_up(season, anna, clock.now())
    sign_up(season, bruno)
    address = reverse("replan_season", args=[league.pk, season.number])
    page = desk.get(address)
    assert "Changing them now would be unfair." in text_of(page)
    assert {"scoring", "size", "opens_at", "promoted"} < {
        field.name for field in page.context["form"] if field.field.disabled
    }
    form = as_shown(page.context["form"])
    assert "reason" in desk.post(address, form | {"places": 30}).context["form"].errors
    sent = form | {"places": 30, "scoring": "wins", "reason": "More have asked."}
    assert desk.post(address, sent).status_code == 302
    changed = Season.objects.get()
    assert (changed.max_players, changed.rounds, changed.scoring) == (30, 3, season.scoring)
    log = re.sub("<[^>]*>", "", text_of(desk.get(reverse("league_log", args=[league.pk]))))
    assert "Players per division: 12 → 30" in log
    assert "Organisers can still change places" in text_of(desk.get(reverse("season", args=[league.pk, 1])))


def test_an_organiser_sees_what_another_changed_at_the_same_time(
    wall: Wall, anna: User, desk: Client, league: League
) -> None:
    season = a_season(league)
    open_sign_up(season, anna, clock.now())
    address = reverse("replan_season", args=[league.pk, season.number])
    form = as_shown(desk.get(address).context["form"]) | {"rounds": 6, "places": 20, "reason": "Summer."}
    change_season(season, anna, reason="Autumn.", rounds=3)
    answer = desk.post(address, form)
    assert answer.context["form"].errors["rounds"] == ["At present: 3."]
    assert answer.context["form"].errors["places"] == ["At present: 12."]
    assert "Everyone plays at 6 tables." in text_of(answer)
    assert Season.objects.get().rounds == 3
    again = form | {"form_key": answer.context["form"]["form_key"].value()}
    assert desk.post(address, again).status_code == 302
    assert (Season.objects.get().rounds, Season.objects.get().max_players) == (6, 20)


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


@pytest.mark.parametrize("is_private", [False, True])
def test_tables_of_a_private_league_are_watched_by_no_one(
    wall: Wall, anna: User, desk: Client, is_private: bool
) -> None:
    assert plan(desk, a_league(anna, is_private=is_private)).status_code == 302
    watch = Table.Watch.NOBODY if is_private else Table.Watch.ANYONE
    assert Season.objects.get().terms["watch"] == watch
