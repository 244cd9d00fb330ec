"""The title page for strangers: what the site is, an example battle, and ways in."""

from __future__ import annotations

import pytest
from django.test import Client

from games.rulebook.example_battles import IN_WINTER
from games.rules import REGIONS

pytestmark = pytest.mark.django_db


def test_the_battle_shown_counts_as_the_rules_count() -> None:
    assert [line.total for line in IN_WINTER.lines] == [4, 1, 12]
    assert [line.name for line in IN_WINTER.lines if line.leads] == ["Carla"]


def test_the_map_shown_is_of_that_battle() -> None:
    board = IN_WINTER.board
    assert board.battle in REGIONS
    assert set(board.control) < set(REGIONS) - {board.battle}


def test_a_stranger_is_shown_an_email_a_battle_and_three_ways_in(client: Client) -> None:
    page = client.get("/").content.decode()
    for words in ("You get an email", "Battle for Siena, in Winter", "Play now"):
        assert words in page
    for address in ("/tables/", "/rules/", "/accounts/login/?next=/tables/new/"):
        assert f'href="{address}"' in page
