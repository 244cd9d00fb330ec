"""Parts of a game's page that open by a plain link, which works without script."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from games.models import Game, ReadMarker, Table
from games.models.replay import replayed
from tests.games.playing import begin_game, decision_of, play_until
from tests.games.polls import asked_by

pytestmark = [pytest.mark.django_db, pytest.mark.once]

LOG = "Show everything that happened"


@pytest.fixture
def game(people: list[Any]) -> Game:
    game = begin_game(people, watch="anyone")
    play_until(game, lambda state, decision: state.ply > 40 and state.phase == "battle")
    return Game.objects.get(pk=game.pk)


@pytest.fixture
def player(game: Game, people: list[Any], signed_in: Any) -> Client:
    """Return the player to move, who has read everything."""
    client: Client = signed_in(people[decision_of(game).seat])
    client.get(f"/games/{game.pk}/")
    return client


def read(client: Client, path: str) -> str:
    return unescape(client.get(path).content.decode())


def opened(client: Client, page: str, words: str) -> str:
    """Return the page behind the link with these words."""
    (address,) = re.findall(rf'href="([^"]+)">{words}<', page)
    return read(client, address)


def chapters(page: str) -> list[str]:
    return re.findall(r'<details id="chapter-\d+" open>\s*<summary>(.*?)</summary>', page)


def pages(game: Game, player: Client) -> list[tuple[Client, str]]:
    return [(player, f"/games/{game.pk}/"), (Client(), f"/watch/{game.table.watch_key}/")]


@pytest.mark.long
def test_the_log_shows_its_last_chapter_and_all_when_it_is_opened(game: Game, player: Client) -> None:
    for client, path in pages(game, player):
        page = read(client, path)
        (last,) = chapters(page)
        whole = opened(client, page, LOG)
        assert chapters(whole)[0] == last
        assert chapters(whole)[-1] == "Start of the game"
        assert len(chapters(whole)) == len(battles_of(game)) + 1
        assert LOG not in whole


def test_what_is_new_to_its_reader_is_shown_without_opening(game: Game, player: Client) -> None:
    begun = battles_of(game)[-2]
    ReadMarker.objects.filter(table=game.table_id).update(step=begun + 1)
    shown = chapters(read(player, f"/games/{game.pk}/"))
    assert len(shown) == 2


@pytest.mark.long
def test_the_map_as_a_list_is_a_link_away(game: Game, player: Client) -> None:
    for client, path in pages(game, player):
        page = read(client, path)
        assert "Borders on" not in page
        assert "Borders on" in opened(client, page, "Show the map as a list")


@pytest.mark.long
def test_the_news_of_an_opened_page_leave_open_what_was_opened(game: Game, player: Client) -> None:
    page = opened(player, read(player, f"/games/{game.pk}/"), LOG)
    address, _headers = asked_by(page)
    assert chapters(read(player, address)) == chapters(page)


@pytest.mark.long
def test_a_page_repeats_nothing_else_of_its_address(game: Game, player: Client) -> None:
    assert "xyzzy" not in read(player, f"/games/{game.pk}/?open=xyzzy")


@pytest.mark.long
def test_after_a_move_that_was_refused_the_links_lead_to_the_page(game: Game, player: Client) -> None:
    answer = player.post(
        f"/games/{game.pk}/move/", {"move": "", "decision_step": decision_of(game).decision_step}
    )
    assert answer.status_code == 400
    assert f'href="/games/{game.pk}/?open=log#log"' in answer.content.decode()


def test_a_page_asks_the_database_no_more_than_it_has_to(game: Game, player: Client) -> None:
    Table.objects.filter(pk=game.table_id).update(pace="day")
    for (client, path), most in zip(pages(game, player), (14, 7), strict=True):
        with CaptureQueriesContext(connection) as captured:
            client.get(path)
        assert len(captured) <= most, [query["sql"][:90] for query in captured]


def battles_of(game: Game) -> list[int]:
    """Return the steps at which a region was chosen."""
    played = replayed(game)
    states = zip(played.states, played.plies, strict=False)
    return [state.step for state, entry in states if entry.move.kind == "place"]
