"""A season is planned soundly or not at all; its rules stay as they are once people can sign up by them."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from accounts import clock
from accounts.mail.models import OutgoingEmail
from accounts.models import User
from games.leagues.models import AuditEvent, Registration, Season, Standing
from games.leagues.selectors.date_rules import days_of_all_tables
from games.leagues.services.cancellation import cancel
from games.leagues.services.next_season import next_season
from games.leagues.services.plan_checks import DATES, PLAN, BadPlan, problems_of
from games.leagues.services.registration import leave_season, sign_up
from games.leagues.services.schedule import next_action_at
from games.leagues.services.season_changes import Overtaken, change_season, plan_key
from games.leagues.services.season_plans import next_plan, plan_season
from games.leagues.services.sign_up_opening import open_sign_up
from games.services import Refused
from tests.clocks.passing import Wall
from tests.leagues.world import a_league, a_running_season, person

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def a_plan(**other: Any) -> dict[str, Any]:
    """Sound, but for what the test says: twelve in fours, sign-up from tomorrow for a week."""
    now = clock.now()
    dates = {"opens_at": now + DAY, "signup_ends_at": now + 8 * DAY, "begins_at": now + 12 * DAY}
    return dates | other


def planned(organiser: User, **other: Any) -> Season:
    return plan_season(a_league(organiser), organiser, form_key=uuid.uuid4(), **a_plan(**other))


def test_a_plan_becomes_the_next_season(wall: Wall, anna: User) -> None:
    season = planned(anna)
    assert (season.number, season.state, season.size) == (1, Season.State.PLANNED, 4)
    assert season.next_action_at == season.opens_at == wall.now + DAY
    assert season.league.events.get().kind == AuditEvent.Kind.PLANNED


def days(**given: int) -> dict[str, int]:
    return given


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("signup_ends_at", days(opens_at=3, signup_ends_at=2)),
    ("signup_ends_at", days(opens_at=3, signup_ends_at=3)),
    ("begins_at", days(signup_ends_at=8, begins_at=7)),
    ("begins_at", days(signup_ends_at=8, begins_at=10)),  # no one could confirm in three days
    ("opens_at", days(opens_at=-3)),
    ("begins_at", days(begins_at=5000)),
    ("signup_ends_at", {"signup_ends_at": None}),
    ("division_size", {"division_size": 1}),
    ("division_size", {"division_size": 3}),  # fours
    ("division_size", {"division_size": 10_000}),
    ("size", {"size": 1}),
    ("size", {"size": 7}),
    ("rounds", {"rounds": 0}),
    ("rounds", {"rounds": 1000}),
    ("promoted", {"promoted": 13, "most_divisions": 3}),
    ("promoted", {"promoted": 7, "most_divisions": 3}),
    ("promoted", {"promoted": 1}),
    ("promoted", {"promoted": -1, "most_divisions": 2}),
    ("most_divisions", {"most_divisions": 0}),
    ("most_divisions", {"most_divisions": 27}),
    ("min_players", {"min_players": 3}),
    ("min_players", {"min_players": 13}),
    ("rounds", {"format": "all", "division_size": 16, "rounds": 4}),
    ("division_size", {"format": "all", "size": 2, "division_size": 24, "rounds": 20}),
    ("format", {"format": "knock-out"}),
    ("placement", {"placement": [6, 3, 1]}),
    ("placement", {"placement": [0, 1, 3, 6]}),
    ("placement", {"placement": [6, 3, 4, 0]}),
    ("placement", {"placement": [6, 3, 1, -1]}),
    ("placement", {"placement": [1, 1, 1, 1]}),
    ("placement", {"placement": [10_000, 1, 1, 1]}),
    ("placement", {"placement": "6 3 1 0"}),
    ("placement", {"placement": [6, 3.5, 1, 0]}),
    ("placement", {"placement": [True, False, False, False]}),
    ("tie_breaks", {"tie_breaks": ["wins", "wins"]}),
    ("tie_breaks", {"tie_breaks": ["beauty"]}),
    ("tie_breaks", {"tie_breaks": ["lot", "wins"]}),
    ("tie_breaks", {"tie_breaks": "wins"}),
    ("tie_breaks", {"tie_breaks": [["wins"]]}),
    ("terms", {"terms": []}),
    ("terms", {"terms": {"host": 1}}),
    ("terms", {"terms": {"pace": "never"}}),
    ("terms", {"terms": {"options_json": {"edition": "1995", "variants": ["playing-for-points"]}}}),
    ("terms", {"terms": {"options_json": {"edition": "2099", "variants": []}}}),
    ("terms", {"terms": {"options_json": "2007"}}),
    ("terms", {"terms": {"options_json": {"edition": ["2007"], "variants": [[]]}}}),
]


@pytest.mark.parametrize(("field", "other"), WRONG)
def test_what_cannot_be_played_is_told_at_its_field(
    wall: Wall, anna: User, field: str, other: dict[str, Any]
) -> None:
    moments = {
        name: wall.now + value * DAY
        for name, value in other.items()
        if name.endswith("_at") and isinstance(value, int)
    }
    plan = a_plan(**other | moments)
    problems = problems_of(plan, wall.now)
    assert list(problems) == [field]
    assert all(problems[field])
    with pytest.raises(BadPlan) as refused:
        plan_season(a_league(anna), anna, form_key=uuid.uuid4(), **plan)
    assert refused.value.problems == problems
    assert not Season.objects.exists()


def test_everything_that_is_wrong_is_told_at_once(wall: Wall) -> None:
    plan = a_plan(size=9, min_players=0, promoted=3, placement=[1], begins_at=wall.now)
    assert set(problems_of(plan, wall.now)) == {"size", "promoted", "begins_at"}
    plan = a_plan(size=3, min_players=2, promoted=3, placement=[1], begins_at=wall.now)
    assert set(problems_of(plan, wall.now)) == {"min_players", "promoted", "placement", "begins_at"}


@pytest.mark.parametrize(
    "other",
    [
        {"size": 2, "division_size": 2, "min_players": 2},
        {"size": 2, "division_size": 8, "rounds": 7, "format": "all", "min_players": 2},
        {"size": 4, "division_size": 16, "rounds": 5, "format": "all"},
        {"promoted": 6, "most_divisions": 3},
        {"placement": [6, 3, 3, 0]},
        {"pause_days": None},
        {"tie_breaks": []},
    ],
)
def test_what_can_be_played_is_planned(wall: Wall, other: dict[str, Any]) -> None:
    assert problems_of(a_plan(**other), wall.now) == {}


def test_the_lot_comes_last_whether_it_was_chosen_or_not(wall: Wall, anna: User) -> None:
    assert planned(anna, tie_breaks=["wins"]).tie_breaks == ["wins", "lot"]


def test_the_same_form_sent_twice_plans_one(wall: Wall, anna: User) -> None:
    league, key = a_league(anna), uuid.uuid4()
    first = plan_season(league, anna, form_key=key, **a_plan())
    assert plan_season(league, anna, form_key=key, **a_plan()) == first
    other = a_league(anna)
    assert plan_season(other, anna, form_key=key, **a_plan()).league == other


def test_one_season_at_a_time_waits_for_its_start(wall: Wall, anna: User) -> None:
    season = planned(anna)
    with pytest.raises(Refused, match="Season 1 has not begun yet"):
        plan_season(season.league, anna, **a_plan())
    cancel(season, anna, "Another plan.")
    assert plan_season(season.league, anna, **a_plan()).number == 2


def test_someone_else_plans_nothing(wall: Wall, anna: User, bruno: User) -> None:
    season = planned(anna)
    for event in (
        lambda: plan_season(season.league, bruno, **a_plan()),
        lambda: change_season(season, bruno, rounds=1),
        lambda: open_sign_up(season, bruno, wall.now),
        lambda: cancel(season, bruno, "I do not like it."),
    ):
        with pytest.raises(Refused, match="Only organisers"):
            event()


def test_a_plan_changes_until_the_sign_up_is_open(wall: Wall, anna: User) -> None:
    season = planned(anna)
    changed = change_season(season, anna, opens_at=wall.now + 2 * DAY, rounds=6, size=3)
    assert (changed.rounds, changed.size, changed.next_action_at) == (6, 3, wall.now + 2 * DAY)
    with pytest.raises(BadPlan):
        change_season(season, anna, division_size=2)
    assert not OutgoingEmail.objects.exists()


def opened(organiser: User, *people: User, **other: Any) -> Season:
    """Sign-up is open, and these people have signed up."""
    season = planned(organiser, **other)
    assert open_sign_up(season, organiser, clock.now())
    for user in people:
        sign_up(season, user)
    OutgoingEmail.objects.all().delete()
    return Season.objects.get(pk=season.pk)


def emailed() -> list[str]:
    sent = OutgoingEmail.objects.filter(kind="league_event").order_by("pk")
    return [str(email.to_user) for email in sent]


def test_places_dates_and_lengths_change_after_sign_up_opens_and_everyone_hears(
    wall: Wall, anna: User, bruno: User
) -> None:
    berta, carlo, dina, ezio, fredo = (person(n) for n in ("Berta", "Carlo", "Dina", "Ezio", "Fredo"))
    season = opened(anna, anna, berta, carlo, dina, ezio, fredo, division_size=4, min_players=4)
    leave_season(season, dina)  # so Ezio has a place, and Fredo waits
    season = change_season(
        season, anna, reason="More have asked.", division_size=5, rounds=3, signup_ends_at=wall.now + 12 * DAY
    )
    assert season.entries.get(user=fredo).state == Registration.State.SIGNED_UP
    assert (season.begins_at, season.next_action_at) == (wall.now + 15 * DAY, wall.now + 10 * DAY)
    assert emailed() == ["Berta", "Carlo", "Ezio", "Fredo"]
    event = season.events.get(kind=AuditEvent.Kind.REPLANNED)
    assert (event.reason, ["division_size", 4, 5] in event.facts["changes"]) == ("More have asked.", True)
    before = OutgoingEmail.objects.count()
    change_season(season, anna, division_size=5, rounds=3)
    assert OutgoingEmail.objects.count() == before


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"scoring": "wins"}, "unfair"),
        ({"promoted": 1}, "unfair"),
        ({"opens_at": "tomorrow"}, "have passed"),
        ({"division_size": 4, "min_players": 4}, "5 players have places already"),
        ({"begins_at": "tomorrow"}, "must begin after sign-up ends"),
        ({"signup_ends_at": "yesterday"}, "past"),
        ({"rounds": 0}, "Enter a whole number from 1 to 20."),
        ({"rounds": 3}, "Enter a reason"),
    ],
)
def test_what_would_be_unfair_or_cannot_be_does_not_change(
    wall: Wall, anna: User, change: dict[str, Any], told: str
) -> None:
    season = opened(anna, *[person(name) for name in ("Berta", "Carlo", "Dina", "Ezio", "Fredo")])
    wall.now += 2 * DAY
    days = {"tomorrow": wall.now + DAY, "yesterday": wall.now - DAY}
    before = Season.objects.values().get()
    with pytest.raises(Refused, match=told):
        change_season(season, anna, reason="", **{name: days.get(str(v), v) for name, v in change.items()})
    assert Season.objects.values().get() == before
    assert not OutgoingEmail.objects.exists()


def test_a_running_season_only_gets_longer(wall: Wall, anna: User) -> None:
    season = a_running_season(anna, [person(name) for name in ("Berta", "Carlo", "Dina", "Ezio")])
    for change, told in ({"table_days": 59}, "count on 60 days"), ({"rounds": 5}, "are drawn from"):
        with pytest.raises(Refused, match=told):
            change_season(season, anna, reason="Shorter.", **change)
    change_season(season, anna, reason="Holidays.", table_days=70)
    assert Season.objects.get().table_days == 70
    assert emailed() == ["Berta", "Carlo", "Dina", "Ezio"]


def test_two_organisers_at_once_lose_nothing(wall: Wall, anna: User) -> None:
    season = opened(anna)
    seen = plan_key(season)
    change_season(season, anna, reason="A.", seen=seen, rounds=3)
    change_season(season, anna, reason="A.", seen=seen, rounds=3)  # the same button pressed twice
    with pytest.raises(Overtaken) as refused:
        change_season(season, anna, reason="B.", seen=seen, rounds=5)
    assert refused.value.changes == {"rounds": (3, 5)}
    assert Season.objects.get().rounds == 3


def test_a_season_that_has_begun_is_changed_by_no_one(wall: Wall, anna: User) -> None:
    season = a_running_season(anna, [person(name) for name in ("Berta", "Carlo", "Dina", "Ezio")])
    for event in (
        lambda: change_season(season, anna, rounds=1),
        lambda: cancel(season, anna, "No."),
    ):
        with pytest.raises(Refused):
            event()
    before = Season.objects.values().get()
    assert not open_sign_up(season, None, wall.now)
    assert Season.objects.values().get() == before


def test_the_sign_up_opens_by_date_or_sooner_by_hand(wall: Wall, anna: User) -> None:
    season = planned(anna)
    assert not open_sign_up(season, None, wall.now)
    assert open_sign_up(season, anna, wall.now)
    assert not open_sign_up(season, anna, wall.now)
    season.refresh_from_db()
    assert (season.opens_at, season.signup_ends_at) == (wall.now, wall.now + 8 * DAY)
    assert season.next_action_at == wall.now + 6 * DAY == next_action_at(season)  # for the reminder


def test_a_site_that_was_away_when_it_should_open_gives_everyone_the_same_time(
    wall: Wall, anna: User
) -> None:
    season = planned(anna)
    wall.now += 11 * DAY
    assert open_sign_up(season, None, wall.now)
    season.refresh_from_db()
    assert (season.signup_ends_at, season.begins_at) == (wall.now + 7 * DAY, wall.now + 11 * DAY)


def test_the_last_seasons_people_are_told_when_the_next_one_opens(wall: Wall, anna: User) -> None:
    berta, carlo, dina, ezio, fredo = people = [
        person(name) for name in ("Berta", "Carlo", "Dina", "Ezio", "Fredo")
    ]
    season = a_running_season(anna, people[:4])
    waiting = sign_up(season, fredo)
    Registration.objects.filter(season=season, user=dina).update(state=Registration.State.WITHDRAWN)
    following = plan_season(season.league, anna, **a_plan())
    wall.now += DAY
    open_sign_up(following, None, wall.now)
    told = set(OutgoingEmail.objects.filter(kind="league_opens").values_list("to_user", flat=True))
    assert waiting.state == Registration.State.WAITING
    assert told == {berta.pk, carlo.pk, ezio.pk, fredo.pk}


def test_someone_who_earned_a_place_has_it_kept(wall: Wall, anna: User) -> None:
    berta, carlo, dina, ezio = people = [person(name) for name in ("Berta", "Carlo", "Dina", "Ezio")]
    season = a_running_season(anna, people[:2], people[2:], size=2, most_divisions=2, division_size=2)
    levels = {berta: 1, carlo: 2, dina: 1, ezio: None}
    for place, entry in enumerate(season.entries.select_related("division"), 1):
        assert entry.division is not None
        level = levels[entry.user]
        Standing.objects.create(
            division=entry.division, entry=entry, place=place, points="0", next_level=level
        )
    Season.objects.filter(pk=season.pk).update(state=Season.State.CLOSED)
    following = plan_season(
        season.league, None, **a_plan(size=2, division_size=2, most_divisions=2, min_players=2)
    )
    kept = following.entries.order_by("seeding").values_list("user", "state", "reserved")
    assert list(kept) == [
        (berta.pk, Registration.State.EXPECTED, 1),
        (dina.pk, Registration.State.EXPECTED, 1),
        (carlo.pk, Registration.State.EXPECTED, 2),
    ]
    with pytest.raises(BadPlan, match="3 players have places already"):
        change_season(following, anna, most_divisions=1)
    leave_season(following, berta)
    assert following.entries.get(user=berta).state == Registration.State.LEFT


def test_the_next_plan_is_the_same_with_later_dates(wall: Wall, anna: User) -> None:
    season = planned(anna, size=3, rounds=5, pause_days=10)
    season.closed_at = wall.now + 300 * DAY
    plan = next_plan(season, UTC)
    assert set(plan) == set(PLAN)
    assert plan["opens_at"] == wall.now + 310 * DAY
    assert plan["begins_at"] - plan["opens_at"] == 11 * DAY
    assert (plan["size"], plan["rounds"]) == (3, 5)
    wall.now += 300 * DAY
    assert problems_of(plan, wall.now) == {}


@pytest.mark.parametrize(("pause", "opens"), [(10, 308), (0, 299)])
def test_the_next_season_keeps_the_hours_that_were_chosen(
    wall: Wall, anna: User, pause: int, opens: int
) -> None:
    """Whatever the hour at which its last game ended; and it never opens before that. The first has opened a
    day after it was planned."""
    season = planned(anna, pause_days=pause)
    season.closed_at = wall.now + 300 * DAY - DAY / 7
    plan = next_plan(season, UTC)
    assert [plan[date] - getattr(season, date) for date in DATES] == [opens * DAY] * 3


def test_the_next_season_keeps_the_hours_that_clocks_show(wall: Wall, anna: User) -> None:
    """Its sign-up opened at midnight in Berlin in winter, and does so in summer."""
    berlin = ZoneInfo("Europe/Berlin")
    season = planned(anna)
    season.opens_at, season.signup_ends_at, season.begins_at = (
        datetime(2027, 1, *at, tzinfo=berlin) for at in ((4, 0, 0), (17, 23, 59), (21, 9, 0))
    )
    season.closed_at = datetime(2027, 6, 1, 20, tzinfo=UTC)
    plan = next_plan(season, berlin)
    assert [f"{plan[date].astimezone(berlin):%H:%M}" for date in DATES] == ["00:00", "23:59", "09:00"]
    assert plan["opens_at"] > season.closed_at


def test_a_season_planned_automatically_keeps_the_hours_of_its_organiser(wall: Wall, anna: User) -> None:
    User.objects.filter(pk=anna.pk).update(time_zone="Australia/Lord_Howe")
    season, lord_howe = planned(anna, pause_days=7), ZoneInfo("Australia/Lord_Howe")
    for month in range(1, 13):
        season.opens_at = datetime(2026, 3, 30, tzinfo=lord_howe)
        season.signup_ends_at, season.begins_at = (season.opens_at + n * DAY for n in (10, 20))
        season.closed_at, season.state = datetime(2027, month, 3, 5, tzinfo=UTC), Season.State.CLOSED
        season.save()
        wall.now = season.closed_at
        following = next_season(season, wall.now)
        assert following is not None
        assert f"{following.opens_at.astimezone(lord_howe):%H:%M}" == "00:00"
        following.delete()


def test_who_was_in_a_season_is_told_that_it_is_called_off(wall: Wall, anna: User, bruno: User) -> None:
    season = planned(anna)
    open_sign_up(season, anna, wall.now)
    sign_up(season, bruno)
    sign_up(season, anna)
    leave_season(season, anna)
    cancel(season, anna, "Nobody is there in summer.")
    cancel(season, anna, "Again.")
    season.refresh_from_db()
    assert (season.state, season.next_action_at) == (Season.State.CANCELLED, None)
    assert OutgoingEmail.objects.get(kind="league_cancelled").to_user == bruno
    with pytest.raises(Refused, match="cancelled"):
        sign_up(season, bruno.__class__.objects.get(pk=anna.pk))


def test_a_season_that_no_one_heard_of_is_called_off_quietly(wall: Wall, anna: User) -> None:
    cancel(planned(anna), anna, "A mistake.")
    assert not OutgoingEmail.objects.filter(kind="league_cancelled").exists()


@pytest.mark.parametrize(
    ("tables", "at_once", "one_game", "simulated"),
    [
        (4, 1, (21, 46), 175), (4, 2, (21, 46), 81), (4, 3, (21, 46), 55), (4, 4, (21, 46), 39),
        (6, 2, (14, 37), 96), (6, 3, (14, 37), 60), (1, 1, (14, 37), 14),
    ],
)  # fmt: skip
def test_the_forecast_is_within_8_per_cent_of_simulated_seasons(
    tables: int, at_once: int, one_game: tuple[int, int], simulated: int
) -> None:
    assert abs(days_of_all_tables(tables, at_once, *one_game) / simulated - 1) < 0.08
