"""Standings in mid-season: tables left, points per table, what is secured, and the reader's next tables."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from games.leagues.models import LeagueTable, Registration, Season
from games.leagues.results.stored_facts import facts_json
from games.leagues.scoring.table_facts import Holder, SeatFacts, TableFacts
from games.leagues.selectors.league_tables import table_view
from games.leagues.selectors.mid_season import SeasonChance, mid_season
from games.leagues.selectors.next_tables import next_tables
from games.leagues.selectors.standings_page import standings_page
from games.leagues.services.season_end import standings_of
from games.leagues.services.withdrawals import withdraw
from tests.clocks.passing import Wall
from tests.leagues import world
from tests.leagues.league_pages import columns, division_path, read, rows_of, text_of

pytestmark = pytest.mark.django_db


def decided(row: LeagueTable, order: list[str], wall: Wall) -> None:
    """The table ends with these players in the order of their places."""
    users = {at.entry.user.name: at.entry.user_id for at in row.assignments.select_related("entry__user")}
    seats = [
        SeatFacts((Holder(users[name], 9),), 5 - place, 0, place == 1, place)
        for place, name in enumerate(order, start=1)
    ]
    row.facts = facts_json(TableFacts(row.pk, row.round.number, tuple(seats)))
    row.collected_at = wall.now
    row.save()


def two_divisions(wall: Wall, **plan: object) -> Season:
    """Two divisions of three, who play three tables each; of two, Anna and Dora won both and Carl and Finn
    came last."""
    names = ("Anna", "Bert", "Carl", "Dora", "Emil", "Finn")
    people = [world.person(name) for name in names]
    rules = {"size": 3, "division_size": 3, "rounds": 3, "most_divisions": 2, "promoted": 1, **plan}
    season = world.a_running_season(world.person("Olga"), people[:3], people[3:], **rules)
    for division, seated in zip(season.divisions.all(), (people[:3], people[3:]), strict=True):
        for round_ in division.rounds.filter(number__lte=2):
            (table,) = world.seat_by_hand(round_, seated)
            decided(table, [one.name for one in seated], wall)
        (last,) = world.seat_by_hand(division.rounds.get(number=3), seated)
        assert last.facts is None
    return season


def chances(season: Season, level: int) -> dict[str, tuple[SeasonChance, ...]]:
    division = season.divisions.select_related("season__league").get(level=level)
    return {row.line.name: row.chances for row in mid_season(standings_page(division)).rows}


def test_first_places_and_moves_are_marked_as_soon_as_they_are_sure(wall: Wall) -> None:
    season = two_divisions(wall)
    assert chances(season, 1) == {
        "Anna": (SeasonChance.FIRST_SECURED,),
        "Bert": (SeasonChance.FIRST_OUT,),
        "Carl": (SeasonChance.FIRST_OUT,),
    }
    assert chances(season, 2) == {
        "Dora": (SeasonChance.FIRST_SECURED, SeasonChance.PROMOTION_SECURED),
        "Emil": (SeasonChance.PROMOTION_OUT,),
        "Finn": (SeasonChance.PROMOTION_OUT,),
    }


def test_relegation_is_certain_or_ruled_out(wall: Wall) -> None:
    season = two_divisions(wall, promoted_share=34, promoted=0)
    table = LeagueTable.objects.get(round__division__level=1, round__number=2)
    decided(table, ["Bert", "Anna", "Carl"], wall)
    found = chances(season, 1)
    assert found["Anna"] == found["Bert"] == (SeasonChance.SAFE,)
    assert found["Carl"] == (SeasonChance.FIRST_OUT, SeasonChance.RELEGATED)
    page = text_of(Client(), division_path(season.divisions.get(level=1)))
    assert "Carl First place out of reach Relegation certain" in page
    assert "1 player from the bottom of this division is relegated." in page
    assert "It holds as long as no one leaves or joins and no result is corrected." in page
    decided(
        LeagueTable.objects.get(round__division__level=1, round__number=3), ["Carl", "Anna", "Bert"], wall
    )
    assert not [one for row in chances(season, 1).values() for one in row if one.is_out]
    levels = {one.entry.user.name: one.next_level for one in standings_of(season)}
    assert levels["Carl"] == 2
    assert levels["Dora"] == 1


def test_a_share_moves_a_part_of_the_smallest_division(wall: Wall) -> None:
    season = two_divisions(wall, promoted_share=25, promoted=0)
    assert "25% of the smallest division, but at least one player, move up" in text_of(
        Client(), f"/leagues/{season.league_id}/season/1/"
    )
    assert SeasonChance.PROMOTION_SECURED in chances(season, 2)["Dora"]


def test_someone_who_left_is_marked_as_nothing(wall: Wall) -> None:
    season = two_divisions(wall)
    season.entries.filter(user__name="Bert").update(state=Registration.State.WITHDRAWN)
    found = chances(season, 1)
    assert found["Bert"] == ()
    assert found["Carl"] == (
        SeasonChance.FIRST_OUT,
        SeasonChance.SAFE,
    )  # the last place is that of someone who left


def test_readers_sort_by_points_or_by_points_per_table_until_the_end(wall: Wall) -> None:
    season = two_divisions(wall)
    table = LeagueTable.objects.get(round__division__level=1, round__number=2)
    table.delete()  # Anna and Carl played more than Bert: by hand, for the order
    path = division_path(season.divisions.get(level=1))
    page = read(Client(), path)
    assert columns(rows_of(page), 1, 2, 3, 4, 5) == [
        ("Anna", "1", "6", "6", "1"),
        ("Bert", "1", "2", "2", "1"),
        ("Carl", "1", "0", "0", "1"),
    ]
    by_average = f"{path}?order=average"
    assert f'href="{by_average}"' in page
    assert "Sorted by points per table." in text_of(Client(), by_average)
    season.state = Season.State.CLOSED
    season.closed_at = wall.now
    season.save()
    assert "Sorted by" not in text_of(Client(), by_average)


def test_the_order_by_points_per_table_can_differ(wall: Wall) -> None:
    players = [world.person(name) for name in ("Anna", "Bert", "Carl", "Dora")]
    season = world.a_running_season(world.person("Olga"), players, size=2, rounds=3, division_size=4)
    rounds = season.divisions.get().rounds.order_by("number")
    anna, bert, carl, dora = players
    for round_, duels in zip(
        rounds, ([(anna, bert), (carl, dora)], [(bert, carl)], [(bert, dora)]), strict=False
    ):
        for row, (winner, loser) in zip(world.seat_by_hand(round_, *duels), duels, strict=True):
            decided(row, [winner.name, loser.name], wall)
    page = standings_page(season.divisions.get())
    assert next(row.line.name for row in mid_season(page).rows) == "Bert"  # 12 points at three tables
    assert next(row.line.name for row in mid_season(page, "average").rows) == "Anna"  # 6 at one


def test_your_season_and_the_home_page_name_the_next_tables_with_their_opponents(
    wall: Wall, client: Client
) -> None:
    players = world.people(8)
    season = world.a_running_season(world.person("Olga"), players, rounds=3, division_size=8)
    world.begin(season)
    one = players[0]
    tables = next_tables(one)
    assert len(tables) == 2  # one of three has begun
    client.force_login(one)
    mine = text_of(client, f"/leagues/{season.league_id}/season/1/")
    home = text_of(client, "/")
    for table in tables:
        others = [at.entry.user.name for at in table.row.assignments.all() if at.entry.user != one]
        assert all(name in table.opponents for name in others)
        line = f"Round {table.row.round.number} · with {table.opponents}"
        assert line in mine
        assert f"Autumn League, season 1 · {line}" in home
    assert "Your next league tables" not in text_of(Client(), "/")


def test_a_table_that_has_not_begun_names_no_one_who_left(wall: Wall) -> None:
    players = world.people(8)
    season = world.a_running_season(world.person("Olga"), players, rounds=3, division_size=8)
    world.begin(season)
    one = players[0]
    before = next_tables(one)[0]
    gone, *others = [at.entry for at in before.row.assignments.all() if at.entry.user != one]
    withdraw(gone)
    for names in (next_tables(one)[0].opponents, table_view(before.row).roster):
        assert gone.user.name not in names
        assert all(entry.user.name in names for entry in others)


@pytest.mark.parametrize("is_begun", [False, True])
def test_an_anonymous_table_gives_away_no_seat(wall: Wall, client: Client, is_begun: bool) -> None:
    """Seats are swapped: no byte of what anyone reads changes, in the division or in their own season."""
    players = world.people(4)
    terms = world.TERMS | {"is_anonymous": True}
    season = world.a_running_season(world.person("Olga"), players, rounds=2, division_size=4, terms=terms)
    world.begin(season)
    table = LeagueTable.objects.filter(table__isnull=not is_begun).first()
    assert table is not None
    client.force_login(players[1])
    paths = [
        division_path(season.divisions.get()),
        division_path(season.divisions.get(), "division_json"),
        f"/leagues/{season.league_id}/season/1/",
    ]
    before = [_without_keys(read(client, path)) for path in paths]
    seats = list(table.assignments.order_by("position"))
    table.assignments.all().delete()
    for position, at in enumerate(reversed(seats)):
        table.assignments.create(position=position, entry=at.entry)
    assert [_without_keys(read(client, path)) for path in paths] == before


def _without_keys(page: str) -> str:
    """The page without what differs in each answer."""
    return re.sub(r'(nonce|value|content)="[^"]*"', "", page)
