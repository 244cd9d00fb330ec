"""A division's standings page: the order, the reasons of each number, and what is listed apart."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.leagues.models import Registration, Round, Season
from games.leagues.selectors.exact_numbers import as_people_read, exactly
from games.leagues.services.awards import award
from games.leagues.services.season_end import close_season
from tests.clocks.passing import Wall
from tests.leagues import league_pages, world
from tests.leagues.league_pages import (
    columns,
    division_path,
    is_over,
    read,
    rows_of,
    standing_of,
    text_of,
    with_accounts,
    words_of,
)
from tests.leagues.tables_by_hand import seat, table
from tests.shared import built_once

built, db = built_once(lambda: league_pages.by_hand(world.person("Olga")), Wall())


@pytest.fixture
def season(wall: Wall, built: Season) -> Season:
    """Computed with pencil and paper in test_standings_by_hand.py."""
    return Season.objects.get(pk=built.pk)


def page_of(season: Season, client: Client | None = None) -> str:
    return read(client or Client(), division_path(season.divisions.get()))


def test_the_page_has_the_standing_that_was_computed_by_hand(season: Season) -> None:
    assert columns(rows_of(page_of(season)), 0, 1, 3) == [
        ("1", "Fabio", "10"),
        ("2", "Anna", "9"),
        ("3", "Bruno", "8"),
        ("4", "Elsa", "8"),
        ("5", "Carla", "7.5"),
        ("6", "Gina", "7.5"),
        ("7", "Dario", "7"),
        ("8", "Hugo", "3"),
    ]


def test_a_row_has_all_numbers_that_decide_and_the_points_of_each_table(season: Season) -> None:
    page = page_of(season)
    rows = {row[1]: row[2:] for row in rows_of(page)}
    assert rows["Anna"] == ["3", "9", "3", "0", "1", "11", "2.65"]
    assert rows["Gina"] == ["3", "7.5", "2.5", "0", "0.5", "11", "2.33"]
    results = {row[1]: row[3:] for row in standing_of(page)}
    assert results["Anna"] == ["6", "0", "3"]
    assert results["Carla"] == ["2", "4.5", "1"]
    assert "Strength of schedule · 2.65 (exactly 143/54)" in words_of(page)


def test_every_number_says_where_it_comes_from(season: Season) -> None:
    words = words_of(page_of(season))
    assert "Round 1, table 1 · 2nd place, shared by 2 players: 2 points" in words
    assert "Round 2, table 2 · 1st place, shared by 2 players: 4.5 points" in words
    assert "Round 3, table 1 · 2nd place: 3 points" in words


def test_a_tie_break_is_named_where_it_decided_and_nowhere_else(season: Season) -> None:
    words = words_of(page_of(season))
    assert "Total · 8 · Below Bruno on head to head, in points per table: 1 against 6" in words
    assert "Total · 7.5 · Below Carla on head to head, in points per table: 2.25 against 2.75" in words
    assert words.count(" Below ") == 2


def test_regions_and_a_connected_victory_add_up(wall: Wall) -> None:
    season = league_pages.by_hand(world.person("Olga"), scoring="points")
    words = words_of(page_of(season))
    assert "1st place · 5 regions: 5 points; Victory by a connected group: 5 points; total: 10" in words


def test_a_victory_that_is_shared(wall: Wall) -> None:
    season = league_pages.by_hand(world.person("Olga"), scoring="wins")
    assert "Round 2, table 2 · 1st place · Victory shared by 2 players: 0.5 points" in words_of(
        page_of(season)
    )


def test_ones_own_line_is_marked(season: Season, signed_in: Any) -> None:
    page = page_of(season, signed_in(world.person("Gina")))
    (mine,) = re.findall(r'<tr class="mine">.*?</tr>', page, re.S)
    assert "Gina" in mine
    assert 'class="mine"' not in page_of(season)


def test_before_any_result_everyone_is_there_by_name_without_places_and_reasons(wall: Wall) -> None:
    season = world.a_running_season(world.person("Olga"), world.people(4)[::-1])
    page = page_of(season)
    assert columns(rows_of(page), 0, 1) == [("", f"Player0{number}") for number in range(1, 5)]
    assert "<details" not in page.partition("<tbody>")[2].partition("</tbody>")[0]
    assert " Below " not in words_of(page)


# Players who did not play all rounds


def small_season(**plan: Any) -> tuple[Season, list[Any]]:
    """Three in one division, who play duels."""
    people = [world.person(name) for name in ("Anna", "Bruno", "Carla")]
    return world.a_running_season(world.person("Olga"), people, size=2, rounds=2, **plan), people


def duel(season: Season, number: int, facts: Any, *players: Any, bye: Any = None) -> Any:
    round_ = season.divisions.get().rounds.get(number=number)
    (row,) = world.seat_by_hand(round_, players, byes=[bye] if bye else [])
    numbers = dict(enumerate([*players, bye], start=1))
    is_over(row, with_accounts(facts, numbers))
    return row


def test_someone_who_sat_out_has_their_average_and_is_told_how_it_came_about(wall: Wall) -> None:
    season, (anna, bruno, carla) = small_season()
    duel(season, 1, table(1, 1, seat(1, 5), seat(2, 2, 2)), anna, bruno, bye=carla)
    duel(season, 2, table(2, 2, seat(1, 5), seat(2, 2, 2)), carla, bruno, bye=anna)
    words = words_of(page_of(season))
    assert "Round 1 · Bye (average of the division’s 4 seats): 3 points" in words
    assert "Round 2 · Bye (average of the division’s 4 seats): 3 points" in words
    assert "Results of Anna: 6 · 3 b" in words
    assert "b Bye What is secured" in words  # the only mark in use


def test_a_mark_is_apart_from_its_points(season: Season) -> None:
    glued = re.findall(r"[0-9](?:</?[a-z][^>]*>)*<abbr", page_of(season))
    assert glued == []


def test_someone_who_withdrew_is_marked_and_stands_last(wall: Wall) -> None:
    season, (anna, bruno, carla) = small_season()
    duel(season, 1, table(1, 1, seat(1, 5), seat(2, 2, 2)), anna, bruno, bye=carla)
    season.entries.filter(user=anna).update(state=Registration.State.WITHDRAWN)
    page = page_of(season)
    assert rows_of(page)[-1][1] == "Anna"
    assert "Anna Withdrawn" in words_of(page)


def test_someone_who_helped_stands_apart_with_what_they_earned(wall: Wall) -> None:
    season, (anna, bruno, carla) = small_season()
    facts = table(1, 1, seat(1, 5, turns=6, then=[(3, 2)]), seat(2, 2, 2))
    duel(season, 1, facts, anna, bruno, bye=carla)
    page = page_of(season)
    words = words_of(page)
    assert "1st place: 6 points; this player’s share, 3/4: 4.5 points" in words
    assert "Points of substitutes" in words
    assert (
        "Carla · Seat of Anna · Round 1, table 1 · 1st place: 6 points; this player’s share, 1/4: 1.5 points"
        in words
    )
    assert "s Someone else played a part of it" in words
    assert columns(rows_of(page), 1, 3) == [("Anna", "4.5"), ("Carla", "3"), ("Bruno", "0")]


def test_points_that_were_awarded_say_so_and_the_leagues_people_read_why(wall: Wall, signed_in: Any) -> None:
    season, (anna, bruno, _carla) = small_season()
    row = duel(season, 1, table(1, 1, seat(1, 5), seat(2, 2, 2)), anna, bruno)
    award(row, world.person("Olga"), [1, 4], "The clock of the site stood still.")
    page = page_of(season)
    assert "Awarded by an organiser: 4 points" in words_of(page)
    assert "stood still" not in page
    assert "4 points The clock of the site stood still." in words_of(page_of(season, signed_in(anna)))


def test_a_long_name_and_namesakes_are_told_apart(wall: Wall) -> None:
    people = [world.person(name) for name in ("Anna", "anna2")]
    people[1].name = "ANNA"
    people[1].save()
    season = world.a_running_season(world.person("Olga"), people, size=2)
    names = {row[1] for row in rows_of(page_of(season))}
    assert names == {f"Anna ({people[0].pk})", f"ANNA ({people[1].pk})"}


def test_numbers_as_people_read_them() -> None:
    assert [as_people_read(Fraction(*one)) for one in ((7,), (5, 2), (1, 3), (161, 22))] == [
        "7",
        "2.5",
        "0.33",
        "7.32",
    ]
    assert exactly(Fraction(161, 22)) == "7.32 (exactly 161/22)"
    assert exactly(Fraction(5, 2)) == "2.5"


def test_the_standing_costs_as_many_queries_for_many_as_for_few(wall: Wall) -> None:
    counts = []
    for count in (4, 12):
        people = world.people(count, f"P{count}")
        season = world.a_running_season(world.person("Olga"), people, rounds=count // 4)
        for round_ in season.divisions.get().rounds.all():
            tables = [people[at : at + 4] for at in range(0, count, 4)]
            for row, players in zip(world.seat_by_hand(round_, *tables), tables, strict=True):
                facts = table(1, 1, *[seat(at, 9 - at, at) for at in range(1, 5)])
                numbered = dict(enumerate(players, start=1))
                is_over(row, with_accounts(replace(facts, round=round_.number), numbered))
        with CaptureQueriesContext(connection) as captured:
            page_of(season)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_someone_who_goes_up_and_down_is_told_before_and_after(wall: Wall) -> None:
    players = world.people(8)
    season = world.a_running_season(
        world.person("Olga"), players[:4], players[4:], most_divisions=2, division_size=4, promoted=1,
        rounds=1, pause_days=None,
    )  # fmt: skip
    for division, here in zip(season.divisions.all(), (players[:4], players[4:]), strict=True):
        round_ = division.rounds.get()
        (row,) = world.seat_by_hand(round_, here)
        facts = table(1, 1, seat(1, 5), seat(2, 4, 2), seat(3, 3, 3), seat(4, 1, 4))
        is_over(row, with_accounts(facts, dict(enumerate(here, start=1))))
    pages = [division_path(division) for division in season.divisions.all()]
    assert "At the end of the season, 1 player from the bottom of this division is relegated." in text_of(
        Client(), pages[0]
    )
    assert "At the end of the season, 1 player from the top of this division is promoted." in text_of(
        Client(), pages[1]
    )
    Round.objects.filter(draw__isnull=True).delete()
    close_season(season, wall.now)
    assert "4 Player04 Relegated to B" in text_of(Client(), pages[0])
    assert "1 Player05 Promoted to A" in text_of(Client(), pages[1])
    assert "Promoted to\xa0A" in read(Client(), pages[1])  # no line begins with the letter
    assert [
        text_of(Client(), page).count("Relegated to") + text_of(Client(), page).count("Promoted to")
        for page in pages
    ] == [1, 1]
    all_time = rows_of(read(Client(), f"/leagues/{season.league_id}/all-time/"))
    assert len(all_time) == 8
    assert all_time[:3] == [
        ["1", "Player01", "1", "1", "1", "6"],
        ["2", "Player05", "0", "1", "1", "6"],
        ["3", "Player02", "0", "0", "1", "3"],
    ]
    other = world.a_running_season(world.person("Olga"), players[:2], size=2)
    assert "No season has finished yet." in text_of(Client(), f"/leagues/{other.league_id}/all-time/")
