"""The standings page and its files for programs, compared with numbers computed by hand."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.clocks.passing import Wall
from tests.leagues.league_pages import standing_of, words_of
from tests.leagues.played_by_hand import played

# Place, name, points, and points round by round. Placement gives 6, 3, 1 and 0: in round 1 Bruno and Dario
# share 3 + 1, in round 2 three share 3 + 1 + 0, in round 3 Carla and Bruno 1 + 0. A bye gives the average.
BY_PLACES = [
    ["1", "Anna", "15", "6", "6", "3"],
    ["2", "Elena", "9.83", "2.5", "1.33", "6"],
    ["3", "Dario", "5", "2", "1.33", "1.67"],
    ["4", "Bruno", "3.83", "2", "1.33", "0.5"],
    ["5", "Carla", "0.75", "0", "0.25", "0.5"],
]
# A region gives 1, Anna's connected victory in round 2 gives 5 more.
BY_POINTS = [
    ["1", "Anna", "18", "5", "10", "3"],
    ["2", "Elena", "10", "3", "2", "5"],
    ["3", "Dario", "6", "2", "2", "2"],
    ["4", "Bruno", "5", "2", "2", "1"],
    ["5", "Carla", "3", "1", "1", "1"],
]
BY_VICTORIES = [
    ["1", "Anna", "2", "1", "1", "0"],
    ["2", "Elena", "1.25", "0.25", "0", "1"],
    ["3", "Bruno", "0", "0", "0", "0"],
    ["4", "Dario", "0", "0", "0", "0"],
    ["5", "Carla", "0", "0", "0", "0"],
]


def page_of(season: Any, file: str = "") -> str:
    answer = Client().get(f"/leagues/{season.league_id}/season/1/division/1/{file}")
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.parametrize(
    ("scoring", "expected"), [("placement", BY_PLACES), ("points", BY_POINTS), ("wins", BY_VICTORIES)]
)
@pytest.mark.long
def test_the_page_shows_what_was_reckoned(wall: Wall, scoring: str, expected: list[list[str]]) -> None:
    assert standing_of(page_of(played(scoring=scoring))) == expected


def test_each_number_says_how_it_came_about(wall: Wall) -> None:
    told = words_of(page_of(played(scoring="placement")))
    for reason in (
        "2nd place, shared by 3 players: 1.33 (exactly 4/3) points",
        "3rd place, shared by 2 players: 0.5 points",
        "Bye (average of their own 2 tables): 1.67 (exactly 5/3) points",
        "Bye (average of the division’s 12 seats): 2.5 points",
    ):
        assert reason in told


def test_the_file_for_spreadsheets_has_rounded_decimals(wall: Wall) -> None:
    lines = (
        page_of(played(scoring="placement"), "standing.csv").lstrip("\ufeff").replace('"', "").splitlines()
    )
    # Strength is the average of what the opponents got per table: Anna met Bruno three times and all others
    # twice, (3 * 23/18 + 2 * (1/4 + 5/3 + 11/3)) / 9; Elena met Anna and Bruno twice, Carla and Dario once.
    anna, bruno, elena = (User.objects.get(name=name).pk for name in ("Anna", "Bruno", "Elena"))
    assert lines[1] == f"1,Anna,{anna},Playing,15,3,2,13,1.67,0,5,0,6,6,3"
    assert lines[2] == f"2,Elena,{elena},Playing,9.83,2,1,7,2.41,1,3.67,0,2.5,1.33,6"
    assert lines[4].startswith(f"4,Bruno,{bruno},Playing,3.83,3,0,5,")
