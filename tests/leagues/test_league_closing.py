"""A season closes: places are published, divisions change, and the next season is planned."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from accounts.mail.delivery import deliver_due
from accounts.mail.email_kinds import EMAIL_KINDS
from accounts.models import User
from games.leagues.integrity import recomputed
from games.leagues.models import AuditEvent, Award, LeagueTable, Registration, Season, Standing
from games.leagues.selectors.league_log import events_of, lines_of
from games.leagues.services.awards import award
from games.leagues.services.league_tick import run_seasons
from games.leagues.services.registration import sign_up
from games.leagues.services.season_end import close_season, standings_of
from games.services import Refused
from tests.clocks.passing import Wall, emails
from tests.leagues import world
from tests.leagues.organisers_desk import text_of
from tests.leagues.world import DAY


def played_out(wall: Wall, *divisions: list[User], **plan: Any) -> Season:
    """A season of one round whose tables were awarded so that everyone stands in the order given."""
    season = world.a_running_season(divisions[0][0], *divisions, rounds=1, **plan)
    for division, players in zip(season.divisions.order_by("level"), divisions, strict=True):
        (table,) = world.seat_by_hand(division.rounds.get(), players)
        world.finish(table)
        points = list(range(len(players), 0, -1))
        Award.objects.create(table=table, points=points, reason="By hand.", by=players[0])
    return season


def places(season: Season) -> list[tuple[str, int, int | None]]:
    rows = Standing.objects.filter(division__season=season).order_by("division__level", "place")
    return [(row.entry.user.name, row.place, row.next_level) for row in rows.select_related("entry__user")]


def named(*names: str) -> list[User]:
    return [world.person(name) for name in names]


FIRST, SECOND = ("Anna", "Bruno", "Carla", "Dario"), ("Elena", "Fabio", "Gina", "Hugo")
TWO = {"most_divisions": 2, "division_size": 4, "promoted": 1}


@pytest.mark.parametrize(
    ("divisions", "plan", "said"),
    [
        ((FIRST,), {}, "We keep a place for you until then."),
        ((FIRST, SECOND), TWO, "We keep a place in division A for you until then."),
    ],
)
def test_the_next_sign_up_says_which_place_is_kept(
    wall: Wall, divisions: tuple[tuple[str, ...], ...], plan: dict[str, int], said: str
) -> None:
    played_out(wall, *[named(*names) for names in divisions], **plan)
    run_seasons(wall.now)
    following = Season.objects.get(number=2)
    wall.now = following.opens_at
    run_seasons(wall.now)
    while deliver_due():
        pass
    (email,) = [one for one in mail.outbox if one.to == ["anna@example.org"] and "Sign up for" in one.subject]
    assert said in email.body


def test_an_organisers_pages_call_no_one_playing_when_it_is_over(wall: Wall, client: Client) -> None:
    season = played_out(wall, named(*FIRST))
    client.force_login(season.league.organisers.get().user)
    pages = [reverse(name, args=[season.league_id, 1]) for name in ("season_desk", "season_players")]
    running = [text_of(client.get(page)) for page in pages]
    assert "In progress (0)" in running[0]
    assert "Playing" in running[1]
    run_seasons(wall.now)
    over = [text_of(client.get(page)) for page in pages]
    assert "In progress" not in over[0]
    assert "Playing" not in over[1]
    assert "Anna" in over[1]


def test_places_are_published_with_their_points(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST))
    run_seasons(wall.now)
    season.refresh_from_db()
    assert (season.state, season.closed_at) == (Season.State.CLOSED, wall.now)
    assert places(season) == [("Anna", 1, 1), ("Bruno", 2, 1), ("Carla", 3, 1), ("Dario", 4, 1)]
    assert [row.points for row in Standing.objects.order_by("place")] == ["4", "3", "2", "1"]
    assert season.events.filter(kind=AuditEvent.Kind.CLOSED, by=None).count() == 1
    assert {email.to_user.name for email in emails("league_closed") if email.to_user} == set(FIRST)
    assert recomputed(season) == []


def test_a_season_whose_rounds_are_played_goes_on(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST))
    assert not close_season(season, wall.now)
    assert not Standing.objects.exists()


def test_the_first_goes_up_and_the_last_goes_down(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST), named(*SECOND), **TWO)
    run_seasons(wall.now)
    assert places(season) == [
        ("Anna", 1, 1),
        ("Bruno", 2, 1),
        ("Carla", 3, 1),
        ("Dario", 4, 2),
        ("Elena", 1, 1),
        ("Fabio", 2, 2),
        ("Gina", 3, 2),
        ("Hugo", 4, 2),
    ]


def test_someone_who_left_stands_last_keeps_no_place_and_is_who_goes_down(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST), named(*SECOND), **TWO)
    season.entries.filter(user__name="Anna").update(state=Registration.State.WITHDRAWN, out_at=wall.now)
    run_seasons(wall.now)
    assert places(season)[:5] == [
        ("Bruno", 1, 1),
        ("Carla", 2, 1),
        ("Dario", 3, 1),
        ("Anna", 4, None),
        ("Elena", 1, 1),
    ]
    assert "Anna" not in {email.to_user.name for email in emails("league_closed") if email.to_user}


def test_a_gap_is_filled_from_below(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST), named(*SECOND), **TWO)
    season.entries.filter(user__name__in=("Anna", "Bruno")).update(
        state=Registration.State.EXPELLED, out_at=wall.now
    )
    run_seasons(wall.now)
    kept = {name: level for name, _place, level in places(season)}
    assert {name for name, level in kept.items() if level == 1} == {"Carla", "Dario", "Elena", "Fabio"}


def test_more_than_a_division_has_cannot_move(wall: Wall) -> None:
    rules = TWO | {"promoted": 3}
    season = played_out(wall, named(*FIRST), named(*SECOND), **rules)
    run_seasons(wall.now)
    levels = [level for _name, _place, level in places(season)]
    assert sorted(level for level in levels if level is not None) == [1] * 4 + [2] * 4


def test_the_next_season_is_planned_with_places_kept(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST), named(*SECOND), pause_days=5, **TWO)
    wall.now += 40 * DAY
    run_seasons(wall.now)
    following = season.league.seasons.get(number=2)
    assert following.state == Season.State.PLANNED
    assert following.opens_at == wall.now + 5 * DAY
    assert following.begins_at - following.opens_at == season.begins_at - season.opens_at
    assert (following.terms, following.promoted) == (season.terms, 1)
    kept = following.entries.filter(state=Registration.State.EXPECTED).order_by("seeding")
    assert [(entry.user.name, entry.reserved) for entry in kept] == [
        ("Anna", 1),
        ("Bruno", 1),
        ("Carla", 1),
        ("Elena", 1),
        ("Dario", 2),
        ("Fabio", 2),
        ("Gina", 2),
        ("Hugo", 2),
    ]
    assert not emails("league_opens")
    run_seasons(wall.now + 5 * DAY)
    following.refresh_from_db()
    assert following.state == Season.State.SIGN_UP
    assert len(emails("league_opens")) == 8


def test_a_sign_up_that_was_left_open_for_long_leaves_days_to_confirm_in_the_next(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST))
    Season.objects.filter(pk=season.pk).update(signup_ends_at=season.begins_at)
    run_seasons(wall.now)
    following = season.league.seasons.get(number=2)
    assert following.begins_at == following.signup_ends_at + 3 * DAY


def test_no_season_follows_where_none_is_to(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST), pause_days=None)
    run_seasons(wall.now)
    assert season.league.seasons.count() == 1


def test_no_season_follows_in_a_league_that_no_one_runs(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST))
    season.league.organisers.all().delete()
    run_seasons(wall.now)
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED
    assert season.league.seasons.count() == 1


def test_a_season_planned_by_hand_meanwhile_is_the_next_one(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST), named(*SECOND), **TWO)
    by_hand = world.a_season(season.league, opens_at=wall.now + 10 * DAY, **TWO)
    run_seasons(wall.now)
    assert season.league.seasons.count() == 2
    assert by_hand.entries.filter(state=Registration.State.EXPECTED).count() == 8


def test_someone_who_has_signed_up_for_it_already_gets_the_level_they_have_earned(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST), named(*SECOND), **TWO)
    by_hand = world.a_season(season.league, state=Season.State.SIGN_UP, **TWO)
    elena = Registration.objects.create(
        season=by_hand, user=world.person("Elena"), state=Registration.State.SIGNED_UP
    )
    run_seasons(wall.now)
    elena.refresh_from_db()
    assert (elena.state, elena.reserved) == (Registration.State.SIGNED_UP, 1)
    assert by_hand.entries.count() == 1


def test_a_season_closed_twice_is_closed_once(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST))
    run_seasons(wall.now)
    before = list(Standing.objects.order_by("pk").values())
    assert not close_season(season, wall.now)
    assert list(Standing.objects.order_by("pk").values()) == before
    assert season.league.seasons.count() == 2


@pytest.mark.long
def test_published_places_are_those_of_the_tables(wall: Wall) -> None:
    season = played_out(wall, named(*FIRST), named(*SECOND), **TWO)
    run_seasons(wall.now)
    season.refresh_from_db()
    assert recomputed(season) == []
    table = LeagueTable.objects.earliest("pk")
    Award.objects.create(table=table, points=[1, 2, 3, 4], reason="Anew.", by=world.person("Anna"))
    assert [row.entry.user.name for row in standings_of(season)[:4]] == ["Dario", "Carla", "Bruno", "Anna"]
    assert any("its stored places differ" in told for told in recomputed(season))


def test_a_division_left_by_all_is_no_hindrance(wall: Wall) -> None:
    season = world.a_running_season(world.person("Anna"), named(*FIRST), named(*SECOND), rounds=1, **TWO)
    season.entries.filter(division__level=2).update(state=Registration.State.WITHDRAWN, out_at=wall.now)
    run_seasons(wall.now)
    world.finish_all(season.divisions.get(level=1).rounds.get())
    run_seasons(wall.now)
    season.refresh_from_db()
    assert season.state == Season.State.CLOSED
    assert {level for _name, place, level in places(season)[4:]} == {None}


# Corrections: for some days, an organiser's award counts after the season's end too.


def corrected(wall: Wall, **plan: Any) -> tuple[Season, LeagueTable]:
    """A season that was closed two days ago, and the table of its first division."""
    season = played_out(wall, named(*FIRST), named(*SECOND), **(TWO | plan))
    run_seasons(wall.now)
    wall.now += 2 * DAY
    season.refresh_from_db()
    return season, LeagueTable.objects.get(round__division__season=season, round__division__level=1)


def levels(season: Season) -> dict[str, int | None]:
    return {entry.user.name: entry.reserved for entry in season.entries.select_related("user")}


def test_a_corrected_result_moves_places_and_those_in_the_next_season(wall: Wall, client: Client) -> None:
    season, table = corrected(wall)
    anna = world.person("Anna")
    award(table, anna, [1, 2, 3, 4], "Anna’s clock ran on.")
    assert places(season)[:4] == [("Dario", 1, 1), ("Carla", 2, 1), ("Bruno", 3, 1), ("Anna", 4, 2)]
    assert recomputed(season) == []
    following = season.league.seasons.get(number=2)
    assert levels(following) | {"Anna": 2, "Dario": 1} == levels(following)
    assert sorted(str(email.to_user) for email in emails("league_event")) == ["Bruno", "Carla", "Dario"]
    content = EMAIL_KINDS["league_event"].build(emails("league_event")[0])
    assert content is not None
    assert content.context["heading"] == "Season 1 was corrected"
    assert "Anna: rank 1 → rank 4" in content.context["listed"]
    assert LeagueTable.objects.get(pk=table.pk).rated_at is None
    (line, *_others) = lines_of(events_of(season.league), with_reasons=True)
    assert {
        "Anna: rank 1 → rank 4",
        "Anna: division A → division B in the next season",
        "Dario: division B → division A in the next season",
    } < set(line.changes)
    page = client.get(reverse("season", args=[season.league_id, season.number]))
    assert b"Corrected on" in page.content
    before = Standing.objects.order_by("pk").values_list("pk", flat=True)
    known = list(before)
    award(table, anna, [1, 2, 3, 4], "Anna’s clock ran on.")
    assert list(before.all()) == known


def test_a_correction_reaches_the_next_season_until_its_sign_up_is_over(wall: Wall) -> None:
    season, table = corrected(wall, pause_days=1)
    anna, dario = world.person("Anna"), world.person("Dario")
    run_seasons(wall.now)
    following = season.league.seasons.get(number=2)
    assert sign_up(following, dario).reserved == 2
    award(table, anna, [1, 2, 3, 4], "Anna’s clock ran on.")
    assert levels(following) | {"Anna": 2, "Dario": 1} == levels(following)
    Season.objects.filter(pk=following.pk).update(state=Season.State.CONFIRMING)
    award(table, anna, [4, 3, 2, 1], "It did not.")
    assert levels(following) | {"Anna": 2, "Dario": 1} == levels(following)
    assert [event.facts["stays"] for event in season.events.filter(kind=AuditEvent.Kind.AWARDED)] == [
        True,
        False,
    ]
    assert recomputed(season) == []


def test_results_are_final_two_weeks_after_the_end(wall: Wall, signed_in: Any) -> None:
    season, table = corrected(wall)
    desk = signed_in(world.person("Anna"))
    assert b"Correct a result of season 1" in desk.get(reverse("organise", args=[season.league_id])).content
    address = reverse("table_award", args=[season.league_id, table.pk])
    rulings = reverse("season_desk", args=[season.league_id, season.number])
    assert b"You can correct its results until" in desk.get(rulings).content
    assert address.encode() in desk.get(rulings).content
    wall.now += 12 * DAY
    with pytest.raises(Refused, match="final now"):
        award(table, world.person("Anna"), [1, 2, 3, 4], "Late.")
    assert b"are final now" in desk.get(address).content
    assert address.encode() not in desk.get(rulings).content
    assert Award.objects.filter(table=table).count() == 1
